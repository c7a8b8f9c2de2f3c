"""A policy tried on decided posts: what is kept, and what its page says of it."""

from collections.abc import Callable

import pytest

from moderation.models import Case, Decision, Label, Policy, Reason, User
from moderation.operations.erasure import erase
from moderation.operations.policies import policy, trial
from moderation.queries.policies import policy_pages
from moderation.queries.policies.policy_pages import Share
from tests.moderation.conftest import Case_
from tests.moderation.fakes import FakeScorer, FakeTopics
from tests.moderation.instants import AT, later


@pytest.fixture
def pets(lead: User, fake_topics: FakeTopics) -> Policy:
    return policy.draft(name="Pets", words="cats", actor=lead, at=AT)


@pytest.fixture
def judged(open_case: Case_, judged_alike: Callable[..., None]) -> Case_:
    def judge(text: str, *, spam: int, fine: int, **given: object) -> Case:
        case = open_case(text=text)
        judged_alike(case, probability=0.5, spam=spam, fine=fine, **given)
        return case

    return judge


def test_counts_right_hits_and_what_was_found(judged: Case_, pets: Policy) -> None:
    judged("grey cats", spam=15, fine=7)
    judged("a fish", spam=5, fine=3)

    found = policy_pages.trial(trial.run(policy_id=pets.pk, at=AT), threshold=0.5)

    row = next(one for one in found.rows if one.threshold == 0.5)
    assert (found.judged, found.wanted) == (30, 20)
    assert row.precision == Share(part=15, of=22)
    assert row.recall == Share(part=15, of=20)
    assert row.newest == Share(part=23, of=32)
    assert (len(found.right), len(found.wrong)) == (10, 7)
    assert {hit.excerpt for hit in found.wrong} == {"grey cats"}


def test_shows_no_percentage_of_few(judged: Case_, pets: Policy) -> None:
    judged("grey cats", spam=12, fine=7)

    row = policy_pages.trial(trial.run(policy_id=pets.pk, at=AT), threshold=0.5).rows[0]

    assert (row.precision.of, row.precision.share) == (19, None)
    assert Share(part=10, of=20).share == 0.5
    assert Share(part=10, of=20).interval == pytest.approx((0.299, 0.701), abs=0.001)


def test_right_may_be_what_was_spam_for_a_reason(judged: Case_, lead: User, fake_topics: FakeTopics) -> None:
    scam = Reason.objects.create(code="pet-scam", title="Pet scam", digit=9, verdict="spam", is_active=False)
    judged("grey cats", spam=2, fine=0, decision={"reason": scam.code})
    judged("black cats", spam=3, fine=0, decision={"reason": "another"})
    drafted = policy.draft(name="Pets", words="cats", counts=scam.code, actor=lead, at=AT)

    found = policy_pages.trial(trial.run(policy_id=drafted.pk, at=AT), threshold=0.5)

    assert (found.judged, found.wanted, found.rows[0].precision) == (5, 2, Share(part=2, of=5))


def test_follows_labels_that_change_and_posts_that_are_erased(judged: Case_, pets: Policy) -> None:
    judged("grey cats", spam=3, fine=0)
    tried = trial.run(policy_id=pets.pk, at=AT)
    first, second, _ = Label.objects.order_by("pk")
    Label.objects.filter(pk=first.pk).update(retracted_at=AT)
    erase.post(post_id=second.post_id, at=later(9))

    found = policy_pages.trial(tried, threshold=0.5)

    assert (found.judged, len(found.right)) == (1, 1)


def test_keeps_no_words_of_posts(judged: Case_, pets: Policy) -> None:
    judged("grey cats", spam=1, fine=0)

    assert "grey" not in str(trial.run(policy_id=pets.pk, at=AT).trial)


def test_without_posts_there_is_nothing_to_say(pets: Policy) -> None:
    found = policy_pages.trial(trial.run(policy_id=pets.pk, at=AT), threshold=0.5)

    assert (found.judged, found.newest, found.right) == (0, 0, ())
    assert found.rows[0].precision.share is None


def test_reads_no_more_after_its_time(judged: Case_, pets: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    judged("grey cats", spam=20, fine=0)
    monkeypatch.setattr(trial, "BUDGET_SECONDS", -1.0)

    found = policy_pages.trial(trial.run(policy_id=pets.pk, at=AT), threshold=0.5)

    assert (found.judged, found.newest) == (16, 16)


def test_without_an_answer_it_stays_untried(judged: Case_, pets: Policy, fake_topics: FakeTopics) -> None:
    judged("grey cats", spam=1, fine=0)
    fake_topics.is_away = True

    with pytest.raises(trial.NotAnswered):
        trial.run(policy_id=pets.pk, at=AT)

    pets.refresh_from_db()
    assert pets.tried_at is None


def test_who_judges_blindly_reads_no_verdict_here(
    open_case: Case_, judged_alike: Callable[..., None], fake_scorer: FakeScorer, pets: Policy
) -> None:
    fake_scorer.audited.add("black cats")
    blind = open_case(text="black cats")
    judged_alike(open_case(text="grey cats"), probability=0.5, spam=1, fine=0)
    label = Label.objects.get()
    Decision.objects.filter(pk=label.decision_id).update(post=blind.post)
    Label.objects.update(post=blind.post)

    found = policy_pages.trial(trial.run(policy_id=pets.pk, at=AT), threshold=0.5)

    assert (found.judged, found.right) == (0, ())
