"""Posts are scored again when what came could change their score, and by what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from moderation import scorer
from moderation.models import Evidence, Release, Revision, Score
from moderation.models.releases import Promotion, PromotionKind
from moderation.operations.evidence import collect
from moderation.operations.scoring import score
from tests.moderation.operations.evidence.hostile_site import HostileSite
from tests.scoring.evidence_release import release_with_evidence

Later = Callable[[float], datetime]


@pytest.fixture(autouse=True)
def unread() -> None:
    """Here releases look at evidence or not as they are."""


@pytest.fixture
def reading(settings: Settings, tmp_path: Path) -> Iterator[None]:
    """The release that ships looks at evidence."""
    settings.RELEASE_DIR = release_with_evidence(tmp_path / "release").folder
    scorer.forget()
    yield
    scorer.forget()


def fetch_first(revision: Revision, *, at: datetime) -> int:
    """Fetch the first address of a revision; return its generation."""
    collect.run(evidence_id=Evidence.objects.order_by("id").values_list("pk", flat=True)[0], at=at)
    revision.refresh_from_db()
    return revision.generation


@pytest.mark.parametrize(
    ("path", "expected"), [("/page", 2), ("/elsewhere", 2), ("/installer", 2), ("/error", 2), ("/nothing", 1)]
)
@pytest.mark.usefixtures("reading")
def test_what_is_read_could_matter(
    path: str, expected: int, site: HostileSite, scored: Callable[..., Revision], at: datetime, later: Later
) -> None:
    assert fetch_first(scored(site.url(path), at=at), at=later(1)) == expected


@pytest.mark.usefixtures("reading")
def test_a_release_that_looks_at_none_is_not_asked_again(
    site: HostileSite, scored: Callable[..., Revision], at: datetime, later: Later
) -> None:
    before, after = (
        Release.objects.create(id=name * 64, manifest={"files": {}}, first_used_at=at) for name in "ab"
    )
    Promotion.objects.create(release=after, replaced=before, kind=PromotionKind.PROMOTE, at=at)

    assert fetch_first(scored(site.url("/page"), at=at), at=later(1)) == 1


@pytest.mark.usefixtures("reading")
def test_the_second_score_freezes_what_came(
    site: HostileSite, scored: Callable[..., Revision], at: datetime, later: Later
) -> None:
    revision = scored(site.url("/page"), at=at)
    fetch_first(revision, at=later(1))

    score.run(revision_ids=[revision.pk], at=later(2))

    first, second = Score.objects.order_by("generation")
    assert first.record["evidence"] == []
    pieces: list[dict[str, Any]] = second.record["evidence"]
    assert [(piece["role"], piece["state"]) for piece in pieces] == [("link", "fetched")]
    assert pieces[0]["page"]["text"]
