"""What active policies do while posts are scored: tags, holds, and what happens without an answer."""

import pytest

from moderation.models import Case, Decision, PolicyMatch, Revision, Score, ScoringJob, User
from moderation.models.posts import ScoreState
from moderation.operations import rules
from moderation.operations.erasure import erase
from moderation.operations.policies import matches, policy
from moderation.operations.scoring import recovery, score
from moderation.queries.policies import policy_pages
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer, FakeTopics
from tests.moderation.instants import AT, later
from tests.moderation.operations.policies.conftest import Policies

pytestmark = pytest.mark.usefixtures("fake_scorer")


def scored(seconds: float = 1) -> None:
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(seconds))


def matched() -> list[tuple[str, str]]:
    rows = PolicyMatch.objects.order_by("post_id", "policy_id")
    return list(rows.values_list("policy__words", "revision__text"))


def test_without_active_policies_asks_nothing(post: Post_, fake_topics: FakeTopics, tried: Policies) -> None:
    tried()
    fake_topics.asked.clear()
    post(text="cats")

    scored()

    assert fake_topics.asked == []
    assert matched() == []


def test_a_batch_is_asked_about_all_policies_in_one_call(
    post: Post_, fake_topics: FakeTopics, active: Policies
) -> None:
    active("cats")
    active("dogs")
    fake_topics.asked.clear()
    for text in ("my cats", "dogs and cats", "a fish", " "):
        post(text=text)

    scored()

    assert len(fake_topics.asked) == 1
    assert fake_topics.asked[0][1] == ("cats", "dogs")
    assert matched() == [("cats", "my cats"), ("cats", "dogs and cats"), ("dogs", "dogs and cats")]


def test_a_tag_changes_no_route(post: Post_, fake_scorer: FakeScorer, active: Policies) -> None:
    fake_scorer.default = 0.01
    active("cats")
    post(text="cats")

    scored()

    assert Score.objects.get().route == "allow"
    assert len(matched()) == 1


def test_a_hold_lets_none_pass_without_people(post: Post_, fake_scorer: FakeScorer, active: Policies) -> None:
    fake_scorer.default = 0.01
    active("cats", effect="hold")
    post(text="cats")
    post(text="fish")

    scored()

    assert list(Score.objects.order_by("pk").values_list("route", flat=True)) == ["review", "allow"]
    assert Case.objects.get().reason == "hold"


def test_a_hold_is_stricter_than_an_allowance_and_a_ban_than_a_hold(
    post: Post_, active: Policies, lead: User
) -> None:
    active("cats", effect="hold")
    rules.impose(
        value="fine.example", effect="allow", reason="x", actor=lead, at=later(0), expires_at=later(99)
    )
    rules.impose(value="evil.example", reason="x", actor=lead, at=later(0))
    post(text="cats https://fine.example/")
    post(text="cats https://evil.example/")

    scored()

    assert list(Score.objects.order_by("revision").values_list("route", flat=True)) == ["review", "remove"]


class TestWithoutAnAnswer:
    def test_nothing_is_held_and_posts_are_compared_when_it_answers_again(
        self, post: Post_, fake_scorer: FakeScorer, fake_topics: FakeTopics, active: Policies
    ) -> None:
        fake_scorer.default, fake_scorer.is_ready_again = 0.01, True
        active("cats", effect="hold")
        cats, fish = post(text="cats"), post(text="fish")
        fake_topics.is_away = True

        scored()

        assert not Case.objects.exists()
        assert not Score.objects.filter(is_degraded=True).exists()
        assert recovery.rescore_degraded(at=later(10)) == 0
        fake_topics.is_away = False
        assert recovery.rescore_degraded(at=later(20)) == 2
        scored(21)
        assert (Case.objects.get().post, Case.objects.get().reason) == (cats, "hold")
        assert Decision.objects.filter(post=fish, verdict="not_spam").count() == 1
        assert recovery.rescore_degraded(at=later(30)) == 0

    def test_texts_that_the_content_model_did_not_read_are_not_asked_about(
        self, post: Post_, fake_scorer: FakeScorer, fake_topics: FakeTopics, active: Policies
    ) -> None:
        fake_scorer.is_degraded = True
        active("cats")
        fake_topics.asked.clear()
        post(text="cats")

        scored()

        assert fake_topics.asked == []
        assert matched() == []

    def test_content_alone_decides_what_is_for_a_human(
        self, post: Post_, fake_scorer: FakeScorer, fake_topics: FakeTopics, active: Policies
    ) -> None:
        fake_scorer.default, fake_scorer.is_degraded = 0.01, True
        active("cats", effect="hold")
        post(text="cats")
        fake_topics.is_away = True

        scored()
        recovery.ask_people(at=later(150))

        assert Case.objects.get().reason == "degraded"

    def test_an_ended_hold_is_not_waited_for(
        self, post: Post_, fake_scorer: FakeScorer, fake_topics: FakeTopics, active: Policies, lead: User
    ) -> None:
        fake_scorer.default, fake_scorer.is_ready_again = 0.01, True
        made = active("cats", effect="hold")
        post(text="cats")
        fake_topics.is_away = True
        scored()

        policy.end(policy_id=made.pk, actor=lead, at=later(5))

        assert recovery.rescore_degraded(at=later(15)) == 1
        scored(16)
        assert ScoringJob.objects.get().state == ScoreState.SCORED

    def test_tags_are_unknown_and_those_of_before_stay(
        self, post: Post_, fake_scorer: FakeScorer, fake_topics: FakeTopics, active: Policies
    ) -> None:
        fake_scorer.default = 0.01
        active("cats")
        post(text="cats")
        scored()
        fake_topics.is_away = True
        ScoringJob.objects.update(state=ScoreState.PENDING, generation=2)

        scored(5)

        assert ScoringJob.objects.get().state == ScoreState.SCORED
        assert len(matched()) == 1


def test_a_new_text_takes_the_tags_of_the_one_before_away(post: Post_, active: Policies) -> None:
    active("cats")
    post(external_id="a", text="cats")
    scored()
    post(external_id="a", text="fish", revision=2)

    scored(5)

    assert matched() == []


def test_scoring_again_keeps_one_match(post: Post_, active: Policies) -> None:
    active("cats")
    post(text="cats")
    scored()
    ScoringJob.objects.update(state=ScoreState.PENDING, generation=2)

    scored(5)

    assert PolicyMatch.objects.get().matched_at == later(5)


def test_matches_of_ended_policies_are_not_shown(
    post: Post_, fake_scorer: FakeScorer, active: Policies, lead: User
) -> None:
    made = active("cats")
    row = post(text="cats")
    fake_scorer.default = 0.01
    scored()
    assert [match.policy for match in policy_pages.matched_by(row.pk, at=later(2))] == [made]

    policy.end(policy_id=made.pk, actor=lead, at=later(3))

    assert policy_pages.matched_by(row.pk, at=later(4)) == []


def test_an_erased_post_matches_nothing(post: Post_, active: Policies) -> None:
    active("cats")
    row = post(text="cats")
    scored()

    erase.post(post_id=row.pk, at=later(2))

    assert not PolicyMatch.objects.exists()


@pytest.mark.parametrize(("effect", "is_ready"), [("tag", True), ("hold", False)])
def test_scoring_waits_for_topics_only_for_a_hold(
    active: Policies, fake_topics: FakeTopics, effect: str, is_ready: bool
) -> None:
    active("cats", effect=effect)
    fake_topics.is_away = True

    assert matches.is_ready(at=AT) is is_ready
