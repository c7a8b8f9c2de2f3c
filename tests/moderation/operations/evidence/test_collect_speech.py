"""What is said in a video that a post carries: read where an engine is there, said by name where none is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pocketsphinx import get_model_path
from pytest_django import Settings

from moderation.models import Evidence
from moderation.models.evidence import EvidenceState
from moderation.operations.evidence import collect
from moderation.queries.records import records
from tests.moderation.instants import AT, later
from tests.moderation.operations.evidence.conftest import Scored
from tests.moderation.operations.evidence.hostile_site import HostileSite

pytestmark = pytest.mark.whole

MODEL = Path(get_model_path("en-us"))


@pytest.mark.whole
@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("path", "model", "state"),
    [
        ("/clip.webm", MODEL, EvidenceState.FETCHED),
        ("/clip.webm", None, EvidenceState.NOT_INSTALLED),
        ("/clip.webm", MODEL.parent / "none", EvidenceState.NOT_INSTALLED),
        ("/no-clip.mp4", MODEL, EvidenceState.BROKEN),
    ],
)
def test_a_video_is_heard_or_said_by_name_to_be_unknown(
    path: str, model: Path | None, state: EvidenceState, site: HostileSite, scored: Scored, settings: Settings
) -> None:
    settings.SPEECH_MODEL = model
    settings.EVIDENCE_LIMITS = replace(settings.EVIDENCE_LIMITS, speech_seconds=90.0)  # on a busy machine
    revision = scored(at=AT, media=(site.url(path),))

    assert collect.run(evidence_id=Evidence.objects.get().pk, at=later(1)) == 1

    row = Evidence.objects.get()
    assert (row.state, bool(row.facts)) == (state, state == EvidenceState.FETCHED)
    [piece] = records.record_at(revision=revision, at=later(2)).evidence
    assert (piece.page, piece.picture) == (None, None)
    assert bool(piece.transcript) == (state == EvidenceState.FETCHED)
    if row.facts:
        assert row.facts["source"] == "pocketsphinx: en-us"
    if model is None:
        assert row.bytes_read <= 1, "what nobody can read is not loaded"
