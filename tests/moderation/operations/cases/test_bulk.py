"""Many cases at once: opened at the price of one; picked from a list, decided all or none, taken back."""

import uuid
from collections.abc import Sequence
from datetime import datetime

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from moderation.models import (
    AuditEntry,
    Case,
    Decision,
    Delivery,
    DeskSettings,
    Label,
    Post,
    Revision,
    Score,
    ScoringJob,
    User,
)
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import Verdict
from moderation.models.deliveries import DeliveryState
from moderation.operations.cases import bulk, claims, opening
from moderation.operations.cases.bulk import Picked
from moderation.operations.cases.opening import Opening
from moderation.operations.cases.reversals import TooLate
from moderation.operations.refusals import NotAllowed, OutOfRange
from moderation.operations.scoring import score
from moderation.queries import latest_scores
from tests.moderation.conftest import Case_, Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.cases.conftest import complain


@pytest.fixture
def cases(open_case: Case_) -> list[Case]:
    return [open_case(text=f"Post {number}") for number in range(4)]


def picked(cases: list[Case], **given: object) -> Picked:
    fields: dict[str, object] = {
        "versions": {case.pk: case.version for case in cases},
        "verdict": Verdict.SPAM,
        "key": uuid.uuid4(),
    }
    return Picked(**fields | given)  # type: ignore[arg-type]  # tests name real fields


def states() -> set[str]:
    return set(Case.objects.values_list("state", flat=True))


class TestDecide:
    def test_gives_each_case_a_decision_and_a_label_once(self, cases: list[Case], moderator: User) -> None:
        wanted = picked(cases)
        made = bulk.decide(picked=wanted, moderator=moderator, at=later(2))
        again = bulk.decide(picked=wanted, moderator=moderator, at=later(3))

        assert [one.pk for one in again] == [one.pk for one in made]
        assert Decision.objects.count() == 4
        assert [decision.case_id for decision in made] == [case.pk for case in cases]
        assert states() == {CaseState.DECIDED}
        assert Label.objects.filter(is_spam=True).count() == 4
        assert AuditEntry.objects.filter(action="cases.decided", subject_id=made[0].idempotency_key).exists()

    def test_decides_nothing_where_one_was_edited(self, cases: list[Case], moderator: User) -> None:
        Case.objects.filter(pk=cases[2].pk).update(version=7)

        with pytest.raises(bulk.Moved) as refused:
            bulk.decide(picked=picked(cases), moderator=moderator, at=later(2))

        assert refused.value.case_ids == [cases[2].pk]
        assert states() == {CaseState.OPEN}
        assert not Decision.objects.exists()

    def test_decides_nothing_where_somebody_holds_one(
        self, cases: list[Case], moderator: User, other_moderator: User
    ) -> None:
        claims.claim(case_id=cases[0].pk, moderator=other_moderator, at=later(1))

        with pytest.raises(bulk.Moved, match="1 case was decided, edited or claimed"):
            bulk.decide(picked=picked(cases), moderator=moderator, at=later(2))

        assert not Decision.objects.exists()
        assert Case.objects.get(pk=cases[0].pk).claimed_by == other_moderator
        assert Case.objects.get(pk=cases[1].pk).claimed_by is None

    @pytest.mark.parametrize(
        "change",
        [
            {"reason": CaseReason.AUDIT},
            {"reason": CaseReason.SECOND},
            {"reason": CaseReason.RANDOM},
            {"is_escalated": True},
        ],
    )
    def test_leaves_samples_alone_and_escalated_ones_to_leads(
        self, cases: list[Case], moderator: User, change: dict[str, object]
    ) -> None:
        Case.objects.filter(pk=cases[3].pk).update(**change)

        with pytest.raises(NotAllowed):
            bulk.decide(picked=picked(cases), moderator=moderator, at=later(2))

        assert not Decision.objects.exists()

    def test_refuses_none_and_too_many(self, cases: list[Case], moderator: User) -> None:
        with pytest.raises(OutOfRange):
            bulk.decide(picked=picked([]), moderator=moderator, at=later(2))
        with pytest.raises(OutOfRange):
            bulk.decide(
                picked=picked(cases, versions=dict.fromkeys(range(1, 300), 1)),
                moderator=moderator,
                at=later(2),
            )


class TestUndo:
    @pytest.fixture
    def done(self, cases: list[Case], moderator: User) -> Picked:
        wanted = picked(cases)
        bulk.decide(picked=wanted, moderator=moderator, at=later(2))
        return wanted

    def test_opens_every_case_again_and_tells_nobody(self, done: Picked, moderator: User) -> None:
        bulk.undo(key=done.key, moderator=moderator, at=later(3))

        assert states() == {CaseState.OPEN}
        assert not Case.objects.filter(claimed_by__isnull=False).exists()
        assert not Label.objects.filter(retracted_at__isnull=True).exists()
        assert set(Delivery.objects.values_list("state", flat=True)) <= {DeliveryState.CANCELLED}

    def test_is_too_late_for_all_once_the_time_is_over(
        self, done: Picked, moderator: User, remembered: DeskSettings
    ) -> None:
        with pytest.raises(TooLate):
            bulk.undo(key=done.key, moderator=moderator, at=later(3 + remembered.undo_seconds))

        assert states() == {CaseState.DECIDED}


@pytest.fixture
def posts(post: Post_, fake_scorer: FakeScorer) -> list[Post]:
    """Six posts that the filter let pass."""
    fake_scorer.default = 0.05
    rows = [post() for _ in range(6)]
    run(at=later(1))
    return rows


def run(*, at: datetime) -> None:
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=at)


def openings(posts: Sequence[Post]) -> list[Opening]:
    scores = latest_scores.of([post.pk for post in posts])
    return [Opening(post=post, score=scores[post.pk], reason=CaseReason.RECONSIDERED) for post in posts]


class TestAllOpened:
    def test_costs_as_many_statements_for_five_as_for_one(self, posts: list[Post]) -> None:
        spent = []
        for few in (posts[:1], posts[1:]):
            with transaction.atomic(), CaptureQueriesContext(connection) as queries:
                opening.all_opened(openings(few), at=AT)
            spent.append(len(queries))

        assert Case.objects.count() == 6
        assert spent[0] == spent[1]

    def test_counts_complaints_and_versions_of_each_post(self, posts: list[Post]) -> None:
        for number, post in enumerate(posts[:3]):
            complain(post, reporters=number, at=AT)
        opening.all_opened(openings(posts[1:2]), at=AT)
        Case.objects.update(state=CaseState.WITHDRAWN, closed_at=AT)

        cases = opening.all_opened(openings(posts[:3]), at=AT)

        assert [case.post for case in cases] == posts[:3]
        assert [case.complaint_count for case in cases] == [0, 1, 2]
        assert [case.version for case in cases] == [1, 2, 1]
        assert {round(case.uncertainty, 6) for case in cases} == {0.1}

    def test_tells_nothing_of_an_audit_samples_probability(self, posts: list[Post]) -> None:
        Score.objects.filter(revision__post=posts[0]).update(is_audit_sample=True)

        case = opening.opened(posts[0], reason=CaseReason.SECOND, at=AT)

        assert case.uncertainty == 0.5

    def test_is_on_the_latest_score(self, posts: list[Post], fake_scorer: FakeScorer) -> None:
        fake_scorer.default = 0.03
        ScoringJob.objects.filter(revision__post=posts[0]).update(state="pending", generation=2)
        run(at=later(2))

        case = opening.opened(posts[0], reason=CaseReason.SECOND, at=later(3))

        assert (case.score.generation, case.score.spam_probability) == (2, 0.03)

    def test_refuses_a_post_without_a_score(self, post: Post_) -> None:
        with pytest.raises(opening.NotScored):
            opening.opened(post(), reason=CaseReason.APPEALED, at=AT)

    def test_a_batch_of_scores_opens_its_cases_together(self, post: Post_, fake_scorer: FakeScorer) -> None:
        fake_scorer.default = 0.5
        spent = []
        for number in (2, 6):
            for _ in range(number):
                post()
            with CaptureQueriesContext(connection) as queries:
                run(at=later(1))
            spent.append(sum("moderation_case" in str(query["sql"]) for query in queries.captured_queries))

        assert Case.objects.count() == 8
        assert spent[0] == spent[1]
