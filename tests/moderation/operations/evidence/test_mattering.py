"""Posts are scored again when what came could change their score, and by what it says."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries, Settings

from moderation import scorer
from moderation.models import Evidence, EvidenceRequest, Platform, Release, Revision, Score, ScoringJob
from moderation.models.platforms import Collecting
from moderation.models.posts import ScoreState
from moderation.models.releases import Promotion, PromotionKind
from moderation.operations import rescore
from moderation.operations.evidence import browse, collect, leads, leases, mattering, opening
from moderation.operations.infrastructure import sweeps
from moderation.operations.scoring import recovery, score
from tests.moderation.instants import AT, later
from tests.moderation.operations.evidence.conftest import Scored, settle
from tests.moderation.operations.evidence.hostile_site import HostileSite
from tests.scoring.evidence_release import release_with_evidence


@pytest.fixture(autouse=True)
def unread(settings: Settings, tmp_path: Path) -> Iterator[None]:
    """Here releases look at evidence or not as they are, and the one that ships does."""
    settings.RELEASE_DIR = release_with_evidence(tmp_path / "release").folder
    scorer.forget()
    yield
    scorer.forget()


def fetch_first(revision: Revision, *, at: datetime) -> int:
    """Fetch the first address of a revision; return its generation."""
    collect.run(evidence_id=Evidence.objects.order_by("id").values_list("pk", flat=True)[0], at=at)
    revision.refresh_from_db()
    return revision.scoring.generation


@pytest.mark.drawn(2)
@pytest.mark.parametrize(
    ("path", "expected"), [("/page", 2), ("/elsewhere", 2), ("/installer", 2), ("/error", 2), ("/nothing", 1)]
)
def test_what_is_read_could_matter(path: str, expected: int, site: HostileSite, scored: Scored) -> None:
    assert fetch_first(scored(site.url(path), at=AT), at=later(1)) == expected


def test_a_release_that_looks_at_none_is_not_asked_again(site: HostileSite, scored: Scored) -> None:
    before, after = (
        Release.objects.create(id=name * 64, manifest={"files": {}}, first_used_at=AT) for name in "ab"
    )
    Promotion.objects.create(release=after, replaced=before, kind=PromotionKind.PROMOTE, at=AT)

    assert fetch_first(scored(site.url("/page"), at=AT), at=later(1)) == 1


@pytest.mark.parametrize("is_slow", [False, True])
def test_all_pieces_of_a_post_ask_for_one_score_and_a_slow_one_delays_it_little(
    is_slow: bool, site: HostileSite, scored: Scored, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    revision, other = scored(site.url("/page"), site.url("/installer"), at=AT), scored(at=AT)
    with transaction.atomic():
        rescore.again([other.pk], at=later(1))

    with django_assert_max_num_queries(32):
        assert fetch_first(revision, at=later(1)) == 2
    assert not EvidenceRequest.objects.filter(opened_at=None).exists(), "its preview picture is written down"
    assert score.run(revision_ids=[other.pk], at=later(2)) == 1, "it waits, and is not taken along"
    settle(later(3), rounds=0 if is_slow else 5)

    assert recovery.sweep(at=later(16)) == is_slow
    assert ScoringJob.objects.filter(lease_until=None, generation=2, state=ScoreState.PENDING).exists()


class TestWhatIsKnownAlready:
    """An address that somebody else posted in the same hour is not fetched again, and counts all the same."""

    def test_is_seen_by_the_first_score(self, site: HostileSite, scored: Scored) -> None:
        fetch_first(scored(site.url("/page"), at=AT), at=later(1))

        second = scored(site.url("/page"), at=later(5))

        assert (second.scoring.generation, second.scoring.state) == (1, ScoreState.SCORED)
        pieces = Score.objects.get(revision=second).record["evidence"]
        assert [(piece["role"], piece["state"]) for piece in pieces] == [("link", "fetched")]
        with transaction.atomic():
            leads.reopen([second.pk], at=later(7))
        opening.run(revision_ids=[second.pk], at=later(8))
        second.refresh_from_db()
        assert (second.scoring.generation, second.scoring.state) == (1, ScoreState.SCORED), "it has seen it"

    def test_is_seen_by_a_second_score_where_not_all_posts_have_it_collected(
        self, site: HostileSite, scored: Scored
    ) -> None:
        Platform.objects.update(collects_evidence=Collecting.UNSURE)
        fetch_first(scored(site.url("/page"), at=AT), at=later(1))

        second = scored(site.url("/page"), at=later(5))

        assert (second.scoring.generation, second.scoring.state) == (2, ScoreState.PENDING)
        assert score.run(revision_ids=[second.pk], at=later(6)) == 0, "held"
        score.run(revision_ids=[second.pk], at=later(20))
        first, again = Score.objects.filter(revision=second).order_by("generation")
        assert ("evidence" in first.record, len(again.record["evidence"])) == (False, 1)

    def test_is_no_news_where_it_says_nothing(self, site: HostileSite, scored: Scored) -> None:
        fetch_first(scored(site.url("/nothing"), at=AT), at=later(1))

        assert scored(site.url("/nothing"), at=later(5)).scoring.generation == 1

    @pytest.mark.parametrize(
        ("collects", "path", "generation"),
        [("unsure", "/page", 1), ("unsure", "/elsewhere", 2), ("on", "/elsewhere", 1)],
    )
    def test_is_where_it_leads_to_a_release_that_reads_nothing(
        self,
        collects: str,
        path: str,
        generation: int,
        site: HostileSite,
        scored: Scored,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(mattering, "_read", frozenset)
        Platform.objects.update(collects_evidence=collects)
        fetch_first(scored(site.url(path), at=AT), at=later(1))

        assert scored(site.url(path), at=later(5)).scoring.generation == generation

    def test_is_seen_by_a_post_that_comes_while_it_is_kept(
        self, site: HostileSite, scored: Scored, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Who collects has locked the posts that carry it by then: the other one is not among them."""
        lock, late = browse.lock_with_other, []

        def join(row: Evidence) -> tuple[bool, Evidence | None]:
            late.append(scored(site.url("/page"), at=later(1)))
            return lock(row)

        monkeypatch.setattr(browse, "lock_with_other", join)
        fetch_first(scored(site.url("/page"), at=AT), at=later(1))
        [second] = late
        second.refresh_from_db()
        assert second.scoring.generation == 1

        opening.run(revision_ids=[second.pk], at=later(2))

        second.refresh_from_db()
        assert second.scoring.generation == 2

    def test_is_seen_by_a_post_that_was_being_scored(self, site: HostileSite, scored: Scored) -> None:
        """Its record is frozen already: whether the score knows is looked at afterwards."""
        revision = scored(site.url("/page"), at=AT)
        ScoringJob.objects.update(state=ScoreState.SCORING)
        fetch_first(revision, at=later(1))
        opening.run(revision_ids=[revision.pk], at=later(2))
        assert EvidenceRequest.objects.get().opened_at is None
        ScoringJob.objects.update(state=ScoreState.SCORED)

        assert leases.sweep(at=later(3 + sweeps.FORGOTTEN_SECONDS)) == 2, "and the preview picture"
        opening.run(revision_ids=[revision.pk], at=later(60))

        revision.refresh_from_db()
        assert revision.scoring.generation == 2
        assert EvidenceRequest.objects.get().opened_at is not None
