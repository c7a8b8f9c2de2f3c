"""Policies in words: drafts, activation, end; of two leads at once one wins and the other is told."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, connections, transaction

from moderation.models import AuditEntry, Policy, PolicyMatch, ScoringJob, User
from moderation.models.posts import ScoreState
from moderation.operations import refusals
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock, take
from moderation.operations.policies import policy
from moderation.operations.scoring import score
from moderation.queries.policies import policy_pages
from moderation.queries.policies.policy_pages import PolicyState
from tests.moderation.conftest import Case_, Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.policies.conftest import Policies


def activate(made: Policy, actor: User, *, at: datetime = AT, **given: object) -> int:
    values = {"effect": "tag", "threshold": 0.5, "expires_at": at + timedelta(days=7)} | given
    return policy.activate(policy_id=made.pk, actor=actor, at=at, **values)  # type: ignore[arg-type]


class TestDraft:
    @pytest.mark.parametrize(
        ("name", "words"), [("", "cats and dogs"), (" ", "cats"), ("Pets", " a "), ("Pets", "\u200b\u202e…!")]
    )
    def test_needs_a_name_and_words(self, lead: User, name: str, words: str) -> None:
        with pytest.raises(policy.NoWords):
            policy.draft(name=name, words=words, actor=lead, at=AT)

    def test_does_nothing(self, lead: User) -> None:
        drafted = policy.draft(name=" My \n pets ", words="cats\nand dogs.", actor=lead, at=AT)

        assert (drafted.name, drafted.words) == ("My pets", "cats and dogs")
        assert policy_pages.in_force(AT) == []
        assert policy_pages.state_of(drafted, at=AT) == PolicyState.DRAFT

    def test_counts_only_reasons_that_there_are(self, lead: User) -> None:
        assert policy.draft(name="a", words="cats", counts="nonsense", actor=lead, at=AT).counts == ""

    def test_is_refused_when_there_are_too_many(self, lead: User, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(policy, "MOST_DRAFTS", 1)
        policy.draft(name="a", words="cats", actor=lead, at=AT)

        with pytest.raises(policy.TooMany):
            policy.draft(name="b", words="dogs", actor=lead, at=AT)


class TestActivate:
    def test_needs_a_trial(self, lead: User) -> None:
        drafted = policy.draft(name="Pets", words="cats", actor=lead, at=AT)

        with pytest.raises(policy.NotTried):
            activate(drafted, lead)

    def test_needs_a_trial_of_today(self, tried: Policies, lead: User) -> None:
        made = tried()

        with pytest.raises(policy.NotTried):
            activate(made, lead, at=AT + timedelta(days=1))

    def test_is_in_force_until_its_end(self, tried: Policies, lead: User) -> None:
        made = tried()

        activate(made, lead)

        assert policy_pages.in_force(AT) == [made]
        assert policy_pages.in_force(AT + timedelta(days=7)) == []
        made.refresh_from_db()
        assert policy_pages.state_of(made, at=AT + timedelta(days=7)) == PolicyState.ENDED

    @pytest.mark.parametrize(("effect", "days"), [("hold", 31), ("tag", 366), ("tag", 0), ("hold", -1)])
    def test_has_an_end(self, tried: Policies, lead: User, effect: str, days: int) -> None:
        made = tried()

        with pytest.raises(refusals.NoEnd):
            activate(made, lead, effect=effect, expires_at=AT + timedelta(days=days))

    def test_is_refused_after_the_end(self, tried: Policies, lead: User) -> None:
        made = tried()
        policy.end(policy_id=made.pk, actor=lead, at=AT)

        with pytest.raises(refusals.NotInForce):
            activate(made, lead)

    def test_is_refused_when_too_many_are_active(
        self, active: Policies, tried: Policies, lead: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(policy, "MOST_ACTIVE", 1)
        active()
        second = tried("birds")

        with pytest.raises(policy.TooMany):
            activate(second, lead)

    def test_scores_the_queue_again_if_asked(self, open_case: Case_, tried: Policies, lead: User) -> None:
        open_case(text="my cats are grey")

        touched = activate(tried(), lead, at=later(5), is_rescored=True)

        assert touched == 1
        assert ScoringJob.objects.get().state == ScoreState.PENDING

    def test_the_database_refuses_an_incomplete_one(self, tried: Policies) -> None:
        with pytest.raises(IntegrityError), transaction.atomic():
            Policy.objects.filter(pk=tried().pk).update(activated_at=AT)


class TestWideHold:
    """One that would put more than a tenth of the newest posts before people."""

    @pytest.fixture
    def newest(self, post: Post_) -> None:
        for number in range(20):
            post(text="cats" if number < 2 else "dogs")

    def test_narrow_ones_together_are_wide(self, newest: None, tried: Policies, lead: User) -> None:
        activate(tried("cats"), lead, effect="hold")

        with pytest.raises(refusals.SecondPersonNeeded, match="other policies hold 10%"):
            activate(tried("cats"), lead, effect="hold")

        activate(tried("birds"), lead, effect="hold")

    def test_a_wide_tag_needs_nobody_else(self, newest: None, active: Policies) -> None:
        made = active("dogs")

        assert policy_pages.in_force(AT) == [made]

    def test_of_few_posts_nothing_is_known(self, post: Post_, tried: Policies, lead: User) -> None:
        post(text="dogs")

        activate(tried("dogs"), lead, effect="hold")

        assert len(policy_pages.in_force(AT)) == 1


class TestEnd:
    def test_scores_what_it_held_again(
        self, active: Policies, open_case: Case_, fake_scorer: FakeScorer, lead: User
    ) -> None:
        made = active(effect="hold")
        fake_scorer.default = 0.01
        case = open_case(text="my cats are grey")
        assert (case.reason, PolicyMatch.objects.get().policy) == ("hold", made)

        touched = policy.end(policy_id=made.pk, actor=lead, at=later(10))
        score.run(revision_ids=[case.score.revision_id], at=later(11))

        case.refresh_from_db()
        assert (touched, case.state) == (1, "withdrawn")

    def test_the_audit_log_tells_each_act_and_no_words(self, active: Policies, lead: User) -> None:
        policy.end(policy_id=active("cats of Mrs Robinson").pk, actor=lead, at=AT)

        entries = AuditEntry.objects.order_by("pk")
        assert [entry.action for entry in entries] == ["policy.drafted", "policy.activated", "policy.ended"]
        assert "Robinson" not in json.dumps([entry.details for entry in entries])
        assert entries[1].details["threshold"] == 0.5


@pytest.fixture
def at_once() -> Callable[..., list[str]]:
    """Run acts in threads that all wait for one lock first; return what became of each."""

    def run(*acts: Callable[[], object]) -> list[str]:
        with ThreadPoolExecutor(len(acts)) as pool:
            with transaction.atomic():
                take(AdvisoryLock.POLICIES)
                doing = [pool.submit(_told, act) for act in acts]
            return sorted(one.result(timeout=30) for one in doing)

    return run


def _told(act: Callable[[], object]) -> str:
    try:
        act()
    except Exception as refusal:  # noqa: BLE001 - which one it is the test says
        return type(refusal).__name__
    finally:
        connections.close_all()
    return "done"


def activated(made: Policy, actor: User, at: datetime, *, effect: str = "tag") -> Callable[[], object]:
    ends = at + timedelta(days=7)
    return lambda: policy.activate(
        policy_id=made.pk, effect=effect, threshold=0.5, expires_at=ends, actor=actor, at=at
    )


@pytest.mark.django_db(transaction=True)
class TestTwoLeads:
    def test_one_activates_a_draft(
        self, tried: Policies, lead: User, other_moderator: User, at_once: Callable[..., list[str]]
    ) -> None:
        made = tried()

        told = at_once(activated(made, lead, AT), activated(made, other_moderator, AT))

        assert told == ["AlreadyActive", "done"]
        assert AuditEntry.objects.filter(action="policy.activated").count() == 1

    def test_one_ends_a_policy(
        self, active: Policies, lead: User, other_moderator: User, at_once: Callable[..., list[str]]
    ) -> None:
        made = active()

        told = at_once(
            *(
                lambda who=who: policy.end(policy_id=made.pk, actor=who, at=AT)
                for who in (lead, other_moderator)
            )
        )

        assert told == ["NotInForce", "done"]

    def test_two_narrow_holds_are_counted_one_after_the_other(
        self, tried: Policies, post: Post_, lead: User, at_once: Callable[..., list[str]]
    ) -> None:
        for number in range(20):
            post(text="cats" if number < 2 else "dogs")
        first, second = tried("cats"), tried("cats")

        told = at_once(activated(first, lead, AT, effect="hold"), activated(second, lead, AT, effect="hold"))

        assert told == ["SecondPersonNeeded", "done"]
