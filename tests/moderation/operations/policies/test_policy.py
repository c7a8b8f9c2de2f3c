"""Policies in words: drafts, activation, end."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from moderation.models import AuditEntry, Policy, PolicyMatch, Revision, User
from moderation.models.posts import ScoreState
from moderation.operations.policies import policy
from moderation.operations.scoring import score
from moderation.queries.policies import policy_pages
from moderation.queries.policies.policy_pages import PolicyState
from tests.moderation.conftest import Case_, Later, Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.policies.conftest import Policies


class TestDraft:
    @pytest.mark.parametrize(
        ("name", "words"), [("", "cats and dogs"), (" ", "cats"), ("Pets", " a "), ("Pets", "\u200b\u202e…!")]
    )
    def test_needs_a_name_and_words(self, lead: User, at: datetime, name: str, words: str) -> None:
        with pytest.raises(policy.NoWords):
            policy.draft(name=name, words=words, actor=lead, at=at)

    def test_does_nothing(self, lead: User, at: datetime) -> None:
        drafted = policy.draft(name=" My \n pets ", words="cats\nand dogs.", actor=lead, at=at)

        assert (drafted.name, drafted.words) == ("My pets", "cats and dogs")
        assert policy_pages.in_force(at) == []
        assert policy_pages.state_of(drafted, at=at) == PolicyState.DRAFT

    def test_counts_only_reasons_that_there_are(self, lead: User, at: datetime) -> None:
        assert policy.draft(name="a", words="cats", counts="nonsense", actor=lead, at=at).counts == ""

    def test_is_refused_when_there_are_too_many(
        self, lead: User, at: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(policy, "MOST_DRAFTS", 1)
        policy.draft(name="a", words="cats", actor=lead, at=at)

        with pytest.raises(policy.TooMany):
            policy.draft(name="b", words="dogs", actor=lead, at=at)


class TestActivate:
    def activate(self, made: Policy, lead: User, at: datetime, **given: object) -> int:
        values = {"effect": "tag", "threshold": 0.5, "expires_at": at + timedelta(days=7)} | given
        return policy.activate(policy_id=made.pk, actor=lead, at=at, **values)  # type: ignore[arg-type]

    def test_needs_a_trial(self, lead: User, at: datetime) -> None:
        drafted = policy.draft(name="Pets", words="cats", actor=lead, at=at)

        with pytest.raises(policy.NotTried):
            self.activate(drafted, lead, at)

    def test_needs_a_trial_of_today(self, tried: Policies, lead: User, at: datetime) -> None:
        made = tried()

        with pytest.raises(policy.NotTried):
            self.activate(made, lead, at + timedelta(days=1))

    def test_is_in_force_until_its_end(self, tried: Policies, lead: User, at: datetime) -> None:
        made = tried()

        self.activate(made, lead, at)

        assert policy_pages.in_force(at) == [made]
        assert policy_pages.in_force(at + timedelta(days=7)) == []
        made.refresh_from_db()
        assert policy_pages.state_of(made, at=at + timedelta(days=7)) == PolicyState.ENDED

    @pytest.mark.parametrize(("effect", "days"), [("hold", 31), ("tag", 366), ("tag", 0), ("hold", -1)])
    def test_has_an_end(self, tried: Policies, lead: User, at: datetime, effect: str, days: int) -> None:
        made = tried()

        with pytest.raises(policy.NoEnd):
            self.activate(made, lead, at, effect=effect, expires_at=at + timedelta(days=days))

    def test_happens_once(self, active: Policies, lead: User, at: datetime) -> None:
        made = active()

        with pytest.raises(policy.AlreadyActive):
            self.activate(made, lead, at)

    def test_is_refused_after_the_end(self, tried: Policies, lead: User, at: datetime) -> None:
        made = tried()
        policy.end(policy_id=made.pk, actor=lead, at=at)

        with pytest.raises(policy.NotInForce):
            self.activate(made, lead, at)

    def test_is_refused_when_too_many_are_active(
        self, active: Policies, tried: Policies, lead: User, at: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(policy, "MOST_ACTIVE", 1)
        active()
        second = tried("birds")

        with pytest.raises(policy.TooMany):
            self.activate(second, lead, at)

    def test_scores_the_queue_again_if_asked(
        self, open_case: Case_, tried: Policies, lead: User, later: Later
    ) -> None:
        open_case(text="my cats are grey")

        touched = self.activate(tried(), lead, later(5), is_rescored=True)

        assert touched == 1
        assert Revision.objects.get().score_state == ScoreState.PENDING

    def test_the_database_refuses_an_incomplete_one(self, tried: Policies, at: datetime) -> None:
        with pytest.raises(IntegrityError), transaction.atomic():
            Policy.objects.filter(pk=tried().pk).update(activated_at=at)


class TestWideHold:
    """One that would put more than a tenth of the newest posts before people."""

    @pytest.fixture
    def newest(self, post: Post_) -> None:
        for number in range(20):
            post(text="cats" if number < 2 else "dogs")

    def hold(self, made: Policy, actor: User, at: datetime, *, threshold: float = 0.5) -> None:
        policy.activate(
            policy_id=made.pk,
            effect="hold",
            threshold=threshold,
            expires_at=at + timedelta(days=7),
            actor=actor,
            at=at,
        )

    def test_is_not_begun_by_its_author(
        self, newest: None, tried: Policies, lead: User, other_moderator: User, at: datetime
    ) -> None:
        made = tried("dogs")

        with pytest.raises(policy.SecondPersonNeeded, match="90%"):
            self.hold(made, lead, at)

        assert policy_pages.in_force(at) == []
        self.hold(made, other_moderator, at)
        assert policy_pages.in_force(at) == [made]

    def test_is_one_that_everything_matches(
        self, newest: None, tried: Policies, lead: User, at: datetime
    ) -> None:
        with pytest.raises(policy.SecondPersonNeeded, match="100%"):
            self.hold(tried("birds"), lead, at, threshold=0.0)

    def test_narrow_ones_together_are_wide(
        self, newest: None, tried: Policies, lead: User, at: datetime
    ) -> None:
        self.hold(tried("cats"), lead, at)

        with pytest.raises(policy.SecondPersonNeeded, match="other policies hold 10%"):
            self.hold(tried("cats"), lead, at)

        self.hold(tried("birds"), lead, at)

    def test_a_wide_tag_needs_nobody_else(self, newest: None, active: Policies, at: datetime) -> None:
        made = active("dogs")

        assert policy_pages.in_force(at) == [made]

    def test_of_few_posts_nothing_is_known(
        self, post: Post_, tried: Policies, lead: User, at: datetime
    ) -> None:
        post(text="dogs")

        self.hold(tried("dogs"), lead, at)

        assert len(policy_pages.in_force(at)) == 1


class TestEnd:
    def test_happens_once(self, active: Policies, lead: User, at: datetime) -> None:
        made = active()
        policy.end(policy_id=made.pk, actor=lead, at=at)

        with pytest.raises(policy.NotInForce):
            policy.end(policy_id=made.pk, actor=lead, at=at)

        assert policy_pages.in_force(at) == []

    def test_scores_what_it_held_again(
        self, active: Policies, open_case: Case_, fake_scorer: FakeScorer, lead: User, later: Later
    ) -> None:
        made = active(effect="hold")
        fake_scorer.default = 0.01
        case = open_case(text="my cats are grey")
        assert (case.reason, PolicyMatch.objects.get().policy) == ("hold", made)

        touched = policy.end(policy_id=made.pk, actor=lead, at=later(10))
        score.run(revision_ids=[case.score.revision_id], at=later(11))

        case.refresh_from_db()
        assert (touched, case.state) == (1, "withdrawn")


def test_the_audit_log_tells_each_act_and_no_words(active: Policies, lead: User, at: datetime) -> None:
    policy.end(policy_id=active("cats of Mrs Robinson").pk, actor=lead, at=at)

    entries = AuditEntry.objects.order_by("pk")
    assert [entry.action for entry in entries] == ["policy.drafted", "policy.activated", "policy.ended"]
    assert "Robinson" not in json.dumps([entry.details for entry in entries])
    assert entries[1].details["threshold"] == 0.5
