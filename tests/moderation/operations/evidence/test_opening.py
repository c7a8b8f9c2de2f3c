"""Evidence is asked for with the score, and the first score sees what others have had fetched."""

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks

from moderation.models import (
    Evidence,
    EvidenceRequest,
    Platform,
    Revision,
    RevisionEvidence,
    Score,
    ScoringJob,
    User,
)
from moderation.models.platforms import Collecting
from moderation.models.posts import ScoreState
from moderation.operations import rules
from moderation.operations.erasure import erase
from moderation.operations.evidence import collect, join, opening
from moderation.operations.infrastructure import transactions
from moderation.operations.scoring import score
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.evidence.conftest import Scored, settle
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
    ScoringJob.objects.update(state=ScoreState.PENDING, generation=2)
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
    assert ScoringJob.objects.get().generation == 3, "scored again, for where the link leads"


class TestJoin:
    """What others had fetched in this hour is in the first score; nothing is scored a second time for it."""

    def test_is_seen_with_all_that_it_leads_to(self, site: HostileSite, scored: Scored) -> None:
        Platform.objects.update(browses_evidence=Collecting.ON)
        scored(site.url("/page"), at=AT)
        settle(AT)
        asked = len(site.asked)

        second = scored(site.url("/page"), at=later(5))
        settle(later(6))

        assert Score.objects.filter(revision=second).count() == 1
        roles = [piece["role"] for piece in Score.objects.get(revision=second).record["evidence"]]
        assert roles == ["link", "preview", "code"]
        ours = RevisionEvidence.objects.filter(revision=second)
        assert sorted(ours.values_list("role", flat=True)) == ["browser", "code", "link", "preview"]
        assert len(site.asked) == asked
        assert EvidenceRequest.objects.get(revision=second).opened_at is not None

    @pytest.mark.drawn(2)
    @pytest.mark.parametrize(
        ("collects", "seconds", "is_seen"),
        [("on", 5, True), ("on", 0, False), ("on", 3_600, False), ("unsure", 5, False), ("off", 5, False)],
    )
    def test_is_of_this_hour_and_as_the_platform_wishes(
        self, collects: str, seconds: float, is_seen: bool, site: HostileSite, scored: Scored
    ) -> None:
        scored(site.url("/page"), at=AT)
        settle(AT)
        Platform.objects.update(collects_evidence=collects)

        second = scored(site.url("/page"), at=later(seconds))

        assert bool(Score.objects.get(revision=second, generation=1).record.get("evidence")) is is_seen

    def test_bans_at_once_what_leads_to_a_banned_domain(
        self, site: HostileSite, scored: Scored, lead: User
    ) -> None:
        ban = rules.impose(value="lands.example", reason="parcels", actor=lead, at=AT)
        scored(site.url("/elsewhere"), at=AT)
        settle(later(1))

        second = scored(site.url("/elsewhere"), at=later(5))

        assert Score.objects.get(revision=second).ban_id == ban.pk

    def test_costs_three_queries_where_nothing_is_known(
        self, site: HostileSite, post: Post_, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(3):
            post(links=[site.url(f"/{number}")], at=AT)
        revisions = list(Revision.objects.select_related("post__platform", "scoring"))

        with django_assert_num_queries(3):  # links, pictures, evidence
            join.join(revisions=revisions, at=AT)
        Platform.objects.update(collects_evidence=Collecting.UNSURE)
        revisions = list(Revision.objects.select_related("post__platform", "scoring"))
        with django_assert_num_queries(0):
            join.join(revisions=revisions, at=AT)

    @pytest.mark.usefixtures("sent")
    @pytest.mark.django_db(transaction=True)
    def test_is_nothing_once_it_is_erased(
        self, site: HostileSite, scored: Scored, post: Post_, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """While this post is about to be joined to it: no row is left that names none."""
        first = scored(site.url("/page"), at=AT)
        settle(AT)
        second = Revision.objects.get(post=post(links=[site.url("/page")], at=later(5)))
        lock = transactions.lock_posts

        def erased(**among: Any) -> set[int]:
            monkeypatch.setattr(transactions, "lock_posts", lock)
            erase.post(post_id=first.post_id, at=later(5))
            return lock(**among)

        monkeypatch.setattr(transactions, "lock_posts", erased)

        score.run(revision_ids=[second.pk], at=later(6))

        second.refresh_from_db()
        assert second.scoring.state == ScoreState.SCORED
        assert "evidence" not in Score.objects.get(revision=second).record
