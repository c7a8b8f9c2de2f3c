"""Pages that change after the post: fetched again after complaints, and scored again if they changed."""

from collections.abc import Callable
from datetime import datetime

import pytest

from moderation.models import Evidence, Platform, Post, Revision, RevisionEvidence, ScoringJob
from moderation.models.evidence import EvidenceState
from moderation.models.platforms import Collecting
from moderation.models.posts import ScoreState
from moderation.operations.evidence import opening
from moderation.operations.posts import complaints
from moderation.operations.scoring import score
from moderation.queries.evidence import findings
from moderation.queries.records import records
from tests.moderation.instants import later
from tests.moderation.operations.evidence import conftest as evidence
from tests.moderation.operations.evidence.conftest import Scored
from tests.moderation.operations.evidence.hostile_site import HostileSite, words

pytestmark = pytest.mark.whole

HOUR = 3_600
SPAM = f"<title>Pills</title><p>{words(60, start=300)}"


@pytest.fixture
def complain(platform: Platform) -> Callable[..., None]:
    """Store complaints of different people about the post of a revision."""
    told: list[str] = []

    def run(revision: Revision, *, at: datetime, count: int = 1) -> None:
        platform.refresh_from_db()
        for _ in range(count):
            told.append(f"reader-{len(told)}")
            complaint = complaints.IncomingComplaint(
                post=Post.objects.get(pk=revision.post_id).external_id,
                reporter=told[-1],
                reason="spam",
                reported_at=at,
            )
            complaints.record(platform=platform, complaint=complaint, at=at)

    return run


Complain = Callable[..., None]


def settle(at: datetime) -> None:
    """Score what waits, and open and fetch once what that asks for."""
    pending = ScoringJob.objects.filter(state=ScoreState.PENDING)
    score.run(revision_ids=list(pending.values_list("pk", flat=True)), at=at)
    evidence.settle(at, rounds=1)


@pytest.mark.parametrize(
    ("seconds", "count", "fetches"),
    [(600, 3, 1), (HOUR - 600, 1, 1), (HOUR - 600, 2, 1), (HOUR - 600, 3, 2), (HOUR + 600, 1, 2)],
    ids=["same hour", "soon", "soon, two", "soon, three", "later"],
)
def test_complaints_ask_for_a_new_fetch(
    seconds: int, count: int, fetches: int, site: HostileSite, scored: Scored, complain: Complain
) -> None:
    first = later(1_200)
    revision = scored(site.url("/exchanged"), at=first)
    settle(first)

    complain(revision, at=later(1_200 + seconds), count=count)
    settle(later(1_200 + seconds))

    assert site.paths().count("/exchanged") == fetches


def test_a_changed_page_leads_to_a_new_score(site: HostileSite, scored: Scored, complain: Complain) -> None:
    revision = scored(site.url("/exchanged"), at=later(0))
    settle(later(1))
    site.says = SPAM
    complain(revision, at=later(2 * HOUR))
    settle(later(2 * HOUR + 1))

    revision.refresh_from_db()
    assert revision.scoring.generation == 3, "for the complaint, and for the page"
    assert list(RevisionEvidence.objects.order_by("id").values_list("is_changed", flat=True)) == [None, True]
    titles = [
        piece.page.title
        for piece in records.record_at(revision=revision, at=later(3 * HOUR)).evidence
        if piece.page
    ]
    assert titles == ["Cakes", "Pills"], "what it was stays on the record, too"
    assert [one.facts["title"] for one in findings.of(revision)] == ["Pills"]


@pytest.mark.parametrize("path", ["/changing", "/elsewhere"])
def test_an_unchanged_page_does_not(path: str, site: HostileSite, scored: Scored, complain: Complain) -> None:
    revision = scored(site.url(path), at=later(0))
    settle(later(1))
    settle(later(20))
    revision.refresh_from_db()
    before = revision.scoring.generation
    site.says = "17:42 and 21 readers"
    complain(revision, at=later(2 * HOUR))
    settle(later(2 * HOUR + 1))

    revision.refresh_from_db()
    assert site.paths().count(path) == 2
    assert revision.scoring.generation == before + 1, "for the complaint alone"
    links = [
        one for one in records.record_at(revision=revision, at=later(3 * HOUR)).evidence if one.role == "link"
    ]
    assert len(links) == 1


def test_a_page_that_is_gone_counts_as_changed_and_is_not_forgotten(
    site: HostileSite, scored: Scored, complain: Complain
) -> None:
    site.says = SPAM
    revision = scored(site.url("/exchanged"), at=later(0))
    settle(later(1))
    complain(revision, at=later(2 * HOUR))
    opening.run(revision_ids=[revision.pk], at=later(2 * HOUR))
    Evidence.objects.filter(state=EvidenceState.WAITING).update(url=site.url("/gone"))
    settle(later(2 * HOUR + 1))

    pieces = records.record_at(revision=revision, at=later(3 * HOUR)).evidence
    assert [(piece.state, bool(piece.page)) for piece in pieces] == [
        ("fetched", True),
        ("unreachable", False),
    ]


def test_is_bounded_by_the_hour_and_in_all(site: HostileSite, scored: Scored, complain: Complain) -> None:
    revision = scored(site.url("/exchanged"), at=later(0))
    settle(later(1))

    for minutes in range(0, 4 * 60, 10):
        complain(revision, at=later(HOUR + minutes * 60), count=2)
        settle(later(HOUR + minutes * 60 + 1))

    assert site.paths().count("/exchanged") == 5, "one in each clock hour"


def test_nothing_is_asked_of_a_platform_that_collects_nothing_any_more(
    site: HostileSite, scored: Scored, complain: Complain
) -> None:
    revision = scored(site.url("/exchanged"), at=later(0))
    settle(later(1))
    Platform.objects.update(collects_evidence=Collecting.OFF)

    complain(revision, at=later(2 * HOUR), count=5)
    settle(later(2 * HOUR + 1))

    assert site.paths().count("/exchanged") == 1
