"""What rules of links and senders do to a score."""

from __future__ import annotations

import dataclasses

import pytest

from scoring.blocklist import Blocklist, Effect
from scoring.pipeline import Scorer
from scoring.routing import Route
from tests.scoring.random_records import FakeContent, labelled
from tests.scoring.ruled_posts import BAN, BANNED, BANS, NO_BANS, equal


class TestBanned:
    def test_is_spam_and_runs_nothing_else(self, scorer: Scorer, content: FakeContent) -> None:
        score = scorer.score(BANNED, blocklist=BANS)

        assert content.calls == []
        assert score.spam_probability == 1.0
        assert score.routing.route is Route.REMOVE
        assert score.rule == BAN
        assert score.contributions == ()
        assert score.features == ()

    def test_among_others_leaves_their_order_and_scores_alone(
        self, scorer: Scorer, content: FakeContent
    ) -> None:
        first, second = (one.record for one in labelled(2))

        scores = scorer.score_many([BANNED, first, BANNED, second], blocklist=BANS)

        assert content.calls == [2]
        assert [score.rule for score in scores] == [BAN, None, BAN, None]
        assert equal(scores[1], scorer.score(first, blocklist=BANS))
        assert equal(scores[3], scorer.score(second, blocklist=BANS))

    def test_all_of_them_need_no_models(self, scorer: Scorer, content: FakeContent) -> None:
        scores = scorer.score_many([BANNED, BANNED], blocklist=BANS)

        assert [score.spam_probability for score in scores] == [1.0, 1.0]
        assert content.calls == []


@pytest.mark.parametrize("effect", [Effect.ALLOW, Effect.HOLD])
def test_a_rule_changes_the_route_alone(scorer: Scorer, effect: Effect) -> None:
    reaching = Blocklist({"bad.example": dataclasses.replace(BAN, effect=effect)})

    ruled, free = (scorer.score(BANNED, blocklist=blocklist) for blocklist in (reaching, NO_BANS))

    assert ruled.rule is not None
    assert equal(
        dataclasses.replace(ruled, rule=None, routing=free.routing, expected_harm=free.expected_harm), free
    )
    assert ruled.routing.route is (Route.ALLOW if effect is Effect.ALLOW else Route.REVIEW)
