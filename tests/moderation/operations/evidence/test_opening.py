"""Evidence is asked for with the score; what had to wait for the score is opened with it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from moderation.models import Evidence, EvidenceRequest, Revision
from moderation.models.posts import ScoreState
from moderation.operations.evidence import collect, opening
from moderation.operations.scoring import score
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT
from tests.moderation.operations.evidence.hostile_site import HostileSite


def test_a_request_that_had_to_wait_for_a_score_is_opened_with_it(
    site: HostileSite,
    post: Post_,
    fake_scorer: FakeScorer,
    sent: list[tuple[str, dict[str, Any]]],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    revision = Revision.objects.get(post=post(links=[site.url("/elsewhere")], at=AT))
    score.run(revision_ids=[revision.pk], at=AT)
    Revision.objects.update(score_state=ScoreState.PENDING, generation=2)
    judge = fake_scorer.score_many

    def meanwhile(*args: Any, **given: Any) -> Any:
        """Open the request and fetch the page while the record is frozen and no score stored."""
        opening.run(revision_ids=[revision.pk], at=AT + timedelta(seconds=1))
        collect.run(evidence_id=Evidence.objects.get().pk, at=AT + timedelta(seconds=2))
        return judge(*args, **given)

    monkeypatch.setattr(fake_scorer, "score_many", meanwhile)
    with django_capture_on_commit_callbacks(execute=True):
        score.run(revision_ids=[revision.pk], at=AT)
    assert EvidenceRequest.objects.get().opened_at is None

    assert sent[-1] == ("open_evidence", {"revision_ids": [revision.pk]})
    opening.run(revision_ids=[revision.pk], at=AT + timedelta(seconds=3))

    assert EvidenceRequest.objects.get().opened_at is not None
    assert Revision.objects.get().generation == 3, "scored again, for where the link leads"
