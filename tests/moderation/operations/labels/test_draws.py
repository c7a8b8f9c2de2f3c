"""Random draws. Promise: posts are drawn uniformly, judged blind, once each, and their labels say so."""

from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from moderation.models import Case, LabelDraw, Platform, Post, Revision, Score, ScoringJob, User
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import Verdict
from moderation.operations import refusals
from moderation.operations.cases import claims
from moderation.operations.labels import draws, export_write
from moderation.operations.scoring import score
from moderation.queries.cases import queue
from moderation.queries.cases.queue_filter import QueueFilter
from moderation.queries.labels import label_balance, label_lines
from moderation.queries.labels.labels import LabelFilter
from tests.moderation.conftest import Post_, judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import later
from tests.moderation.operations.labels.builds import rows_of

TEXTS = ("allowed", "removed")


@pytest.fixture
def posts(post: Post_, fake_scorer: FakeScorer) -> list[Post]:
    """Twenty posts that the filter let pass or removed."""
    fake_scorer.probabilities = {"allowed": 0.01, "removed": 0.99}
    rows = [post(text=TEXTS[number % 2]) for number in range(20)]
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1))
    assert not Case.objects.exists()
    return rows


def ask(platform: Platform, user: User, *, posts: int, at: datetime, **given: object) -> LabelDraw:
    return draws.ask(platform=platform, posts=posts, days=7, asked_by=user, at=at, **given)  # type: ignore[arg-type]  # tests name real fields


@pytest.mark.usefixtures("posts")
class TestAsk:
    def test_puts_posts_into_the_queue_whatever_the_filter_did(
        self, platform: Platform, ml_engineer: User, moderator: User
    ) -> None:
        draw = ask(platform, ml_engineer, posts=15, at=later(60))

        cases = Case.objects.filter(draw=draw)
        assert (draw.drawn, draw.population) == (15, 20)
        assert {case.audit_probability for case in cases} == {0.75}
        assert set(cases.values_list("score__revision__text", flat=True)) == set(TEXTS)
        rows = queue.rows(viewer=moderator, wanted=QueueFilter(), at=later(61)).rows
        assert {row.reason for row in rows} == {"random"}
        assert {row.spam_probability for row in rows} == {None}

    def test_draws_nothing_that_waits_or_was_labelled(
        self, platform: Platform, lead: User, moderator: User
    ) -> None:
        ask(platform, lead, posts=12, at=later(60))
        decided = Case.objects.order_by("id")[0]
        judge(decided, moderator, at=later(61))

        second = ask(platform, lead, posts=500, at=later(62))

        assert (second.drawn, second.population) == (8, 8)
        with pytest.raises(draws.NothingToDraw):
            ask(platform, lead, posts=1, at=later(63))

    def test_is_bounded(
        self, platform: Platform, lead: User, moderator: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for posts in (0, 501):
            with pytest.raises(refusals.OutOfRange):
                ask(platform, lead, posts=posts, at=later(60))
        with pytest.raises(refusals.NotAllowed):
            ask(platform, moderator, posts=5, at=later(60))
        monkeypatch.setattr(draws, "MOST_WAITING", 6)
        ask(platform, lead, posts=5, at=later(60))
        with pytest.raises(draws.TooManyWait):
            ask(platform, lead, posts=2, at=later(61))

    def test_every_post_is_drawn_as_often(self, platform: Platform, lead: User) -> None:
        found: Counter[int] = Counter()
        for number in range(60):
            draw = ask(platform, lead, posts=5, at=later(60 + number))
            found.update(Case.objects.filter(draw=draw).values_list("post", flat=True))
            Case.objects.all().delete()

        # 60 draws of a quarter: 15 each, give or take four standard deviations of 3.35.
        assert len(found) == 20
        assert all(2 <= drawn <= 28 for drawn in found.values())


@pytest.mark.usefixtures("posts")
class TestCases:
    def test_stay_and_stay_blind_whatever_a_new_score_says(
        self, platform: Platform, lead: User, fake_scorer: FakeScorer
    ) -> None:
        ask(platform, lead, posts=20, at=later(60))
        fake_scorer.probabilities = {"allowed": 0.99, "removed": 0.5}
        ScoringJob.objects.update(generation=2, state="pending", attempts=0)

        score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(90))

        cases = Case.objects.filter(state=CaseState.OPEN)
        assert Score.objects.filter(generation=2).count() == 20
        assert cases.count() == 20
        assert set(cases.values_list("reason", "priority")) == {(CaseReason.RANDOM, 0.5)}

    def test_labels_say_that_they_were_drawn_and_how_many_posts_they_stand_for(
        self, platform: Platform, lead: User, moderator: User, tmp_path: Path
    ) -> None:
        draw = ask(platform, lead, posts=5, at=later(60))
        for case in Case.objects.filter(draw=draw):
            judge(case, moderator, verdict=Verdict.NOT_SPAM, at=later(61))

        out = tmp_path / "labels.jsonl"
        manifest = export_write.write(out=out, wanted=LabelFilter(), at=later(120))

        rows = rows_of(out)
        assert [row["weight"] for row in rows] == [4.0] * 5
        assert {row["provenance"]["sample"] for row in rows} == {"draw"}
        assert rows == list(label_lines.page(wanted=LabelFilter(), after=None, limit=9).rows)
        assert label_balance.of(platform_id=platform.pk).random == 5
        assert manifest["weaknesses"][0].startswith("5 labels were drawn at random, 50 would be enough")


@pytest.mark.usefixtures("posts")
class TestCancel:
    def test_leaves_what_was_decided_as_a_smaller_sample(
        self, platform: Platform, lead: User, moderator: User
    ) -> None:
        draw = ask(platform, lead, posts=10, at=later(60))
        for case in claims.claim_next(moderator=moderator, at=later(61), count=4):
            judge(case, moderator, verdict=Verdict.NOT_SPAM, at=later(62))

        draws.cancel(draw_id=draw.pk, cancelled_by=lead, at=later(70))

        [row] = label_balance.draws(platform_id=platform.pk)
        assert (row.decided, row.waiting, row.gone) == (4, 0, 6)
        decided = Case.objects.filter(state=CaseState.DECIDED)
        assert {case.audit_probability for case in decided} == {4 / 20}
        with pytest.raises(draws.AlreadyCancelled):
            draws.cancel(draw_id=draw.pk, cancelled_by=lead, at=later(71))

    def test_lets_whoever_looks_at_one_go_on(self, platform: Platform, lead: User, moderator: User) -> None:
        draw = ask(platform, lead, posts=10, at=later(60))
        [held] = claims.claim_next(moderator=moderator, at=later(61))

        draws.cancel(draw_id=draw.pk, cancelled_by=lead, at=later(62))

        assert Case.objects.get(state=CaseState.OPEN) == held
        assert held.lease_end_at is not None
        assert held.lease_end_at > later(62) - timedelta(seconds=1)
