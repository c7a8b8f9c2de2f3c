"""From probability to route, audit sample and queue priority."""

from typing import Any

import pytest

from scoring.blocklist import Effect
from scoring.records import AuthorSnapshot
from scoring.release import Safety, Thresholds
from scoring.routing import ReviewReason, Route, Routing, decide, draw, expected_harm, opinion, sampled
from tests.scoring.random_records import record

THRESHOLDS = Thresholds(review_from=0.3, remove_from=0.9, audit_rate=0.02)
SAFETY = Safety(hold_from={"content": 0.5, "ip_url": 0.9}, remove_alone_from={"content": 0.97})
KEY = b"secret"


def decided(probability: float, **given: Any) -> Routing:
    """Route a score that is not degraded, unless it is given so."""
    return decide(**{"probability": probability, "thresholds": THRESHOLDS, "is_degraded": False, **given})


def routing(route: Route, reason: ReviewReason | None) -> Routing:
    """What has to go to a human does so with certainty, other posts by the sample alone."""
    return Routing(
        route=route, reason=reason, audit_probability=float(reason is not None), is_audit_sample=False
    )


class TestDecide:
    @pytest.mark.parametrize(
        ("probability", "given", "route", "reason"),
        [
            (0.0, {}, Route.ALLOW, None),
            (0.2999999, {}, Route.ALLOW, None),
            (0.3, {}, Route.REVIEW, ReviewReason.UNCERTAIN),
            (0.8999999, {}, Route.REVIEW, ReviewReason.UNCERTAIN),
            (0.9, {}, Route.REMOVE, None),
            (1.0, {}, Route.REMOVE, None),
            (0.0, {"is_degraded": True}, Route.REVIEW, ReviewReason.DEGRADED),
            (1.0, {"is_degraded": True}, Route.REVIEW, ReviewReason.DEGRADED),
            (0.99, {"effect": Effect.ALLOW}, Route.ALLOW, None),
            (0.5, {"effect": Effect.ALLOW, "is_degraded": True}, Route.ALLOW, None),
            (0.0, {"effect": Effect.HOLD}, Route.REVIEW, ReviewReason.HOLD),
            (0.5, {"effect": Effect.HOLD}, Route.REVIEW, ReviewReason.UNCERTAIN),
            (0.0, {"effect": Effect.HOLD, "is_degraded": True}, Route.REVIEW, ReviewReason.DEGRADED),
            (0.95, {"effect": Effect.HOLD}, Route.REMOVE, None),
        ],
    )
    def test_routes_by_thresholds_and_the_rule_that_reaches_the_post(
        self, probability: float, given: dict[str, Any], route: Route, reason: ReviewReason | None
    ) -> None:
        assert decided(probability, **given) == routing(route, reason)

    @pytest.mark.parametrize("probability", [-0.01, 1.01, float("nan")])
    def test_refuses_what_is_no_probability(self, probability: float) -> None:
        with pytest.raises(ValueError, match="not in"):
            decided(probability)


class TestSafety:
    @pytest.mark.parametrize(
        ("sub_models", "probability", "route", "reason"),
        [
            ({"content": 0.5}, 0.1, Route.REVIEW, ReviewReason.OUTVOTED),
            ({"content": 0.49}, 0.1, Route.ALLOW, None),
            ({"content": None, "ip_url": 0.95}, 0.1, Route.REVIEW, ReviewReason.OUTVOTED),
            ({"content": None, "ip_url": None}, 0.1, Route.ALLOW, None),
            ({"behaviour": 0.99}, 0.1, Route.ALLOW, None),
            ({"content": 0.6}, 0.4, Route.REVIEW, ReviewReason.UNCERTAIN),
            ({"content": 0.98}, 0.95, Route.REMOVE, None),
            ({"content": 0.9}, 0.95, Route.REVIEW, ReviewReason.OUTVOTED),
            ({"content": 0.9, "feedback": 0.2}, 0.95, Route.REVIEW, ReviewReason.OUTVOTED),
            ({"content": 0.9, "feedback": 0.5}, 0.95, Route.REMOVE, None),
            ({"feedback": 1.0}, 0.95, Route.REVIEW, ReviewReason.OUTVOTED),
        ],
        ids=[
            *("sure and outvoted", "not sure", "another is sure", "all silent", "one without a bound"),
            *("in review anyway", "alone and surely enough", "alone", "the other is against it"),
            *("two together", "alone and without a bound"),
        ],
    )
    def test_a_sure_one_is_not_outvoted_nor_does_one_alone_remove(
        self,
        sub_models: dict[str, float | None],
        probability: float,
        route: Route,
        reason: ReviewReason | None,
    ) -> None:
        assert decided(probability, sub_models=sub_models, safety=SAFETY) == routing(route, reason)

    def test_is_off_where_a_release_says_nothing(self) -> None:
        for probability, route in ((0.1, Route.ALLOW), (0.95, Route.REMOVE)):
            assert decided(probability, sub_models={"content": 0.99}).route is route

    def test_an_allowance_stands_above_it(self) -> None:
        allowed = decided(0.1, effect=Effect.ALLOW, sub_models={"content": 0.99}, safety=SAFETY)

        assert allowed.route is Route.ALLOW

    @pytest.mark.parametrize("bound", [0.0, 1.1, float("nan")])
    def test_refuses_what_is_no_bound(self, bound: float) -> None:
        for refused in ({"hold_from": {"content": bound}}, {"unread_from": bound}):
            with pytest.raises(ValueError, match="out of range"):
                Safety(**refused)


class TestUnreadScript:
    @pytest.mark.parametrize("probability", [0.0, 0.5, 1.0])
    @pytest.mark.parametrize(
        ("given", "route", "reason"),
        [
            ({}, Route.REVIEW, ReviewReason.UNREAD_SCRIPT),
            ({"is_degraded": True}, Route.REVIEW, ReviewReason.DEGRADED),
            ({"effect": Effect.HOLD}, Route.REVIEW, ReviewReason.HOLD),
            ({"effect": Effect.ALLOW}, Route.ALLOW, None),
        ],
    )
    def test_is_for_a_human_whatever_the_probability(
        self, probability: float, given: dict[str, Any], route: Route, reason: ReviewReason | None
    ) -> None:
        assert decided(probability, is_unread=True, **given) == routing(route, reason)

    @pytest.mark.parametrize(("evidence", "says"), [(None, 0.5), (0.2, 0.5), (0.99, 0.99)])
    def test_takes_its_place_by_evidence_alone(self, evidence: float | None, says: float) -> None:
        for probability in (0.01, 0.999):
            unread = decided(probability, is_unread=True)
            assert opinion(unread, probability, evidence=evidence) == says


@pytest.mark.parametrize(
    ("review_from", "remove_from", "audit_rate"),
    [(0.9, 0.3, 0.02), (-0.1, 0.9, 0.02), (0.3, 1.1, 0.02), (0.3, 0.9, 2)],
)
def test_thresholds_refuse_disorder(review_from: float, remove_from: float, audit_rate: float) -> None:
    with pytest.raises(ValueError, match="out of order or range"):
        Thresholds(review_from=review_from, remove_from=remove_from, audit_rate=audit_rate)


class TestSampled:
    @pytest.mark.parametrize(("probability", "route"), [(0.1, Route.ALLOW), (0.95, Route.REMOVE)])
    def test_sends_what_was_drawn_to_a_human_and_notes_the_chance(
        self, probability: float, route: Route
    ) -> None:
        automatic = decided(probability)

        drawn, left = (sampled(automatic, chance=0.02, is_drawn=is_drawn) for is_drawn in (True, False))

        assert drawn == Routing(
            route=Route.REVIEW, reason=ReviewReason.AUDIT, audit_probability=0.02, is_audit_sample=True
        )
        assert left == Routing(route=route, reason=None, audit_probability=0.02, is_audit_sample=False)
        assert (drawn.automatic, left.automatic) == (route, route)

    def test_leaves_what_has_to_go_to_a_human(self) -> None:
        unsure = decided(0.5)

        assert sampled(unsure, chance=0.02, is_drawn=True) == unsure

    def test_an_allowance_is_drawn_too(self) -> None:
        allowed = decided(0.99, effect=Effect.ALLOW)

        assert sampled(allowed, chance=0.02, is_drawn=True).reason is ReviewReason.AUDIT


class TestDraw:
    def test_is_the_same_for_the_same_revision_and_release(self) -> None:
        first, second = (draw(record(text=text), "release", key=KEY) for text in ("one", "two"))

        assert first == second

    def test_changes_with_post_revision_release_and_key(self) -> None:
        drawn = {
            draw(record(), "release", key=KEY),
            draw(record(), "other release", key=KEY),
            draw(record(), "release", key=b"other key"),
            draw(record(revision=2), "release", key=KEY),
            draw(record(external_id="post-2"), "release", key=KEY),
            draw(record(platform="elsewhere"), "release", key=KEY),
        }

        assert len(drawn) == 6

    def test_is_spread_evenly(self) -> None:
        drawn = [draw(record(external_id=f"post-{index}"), "release", key=KEY) for index in range(20_000)]

        assert all(0.0 <= number < 1.0 for number in drawn)
        assert sum(number < 0.02 for number in drawn) == pytest.approx(400, abs=80)

    @pytest.mark.parametrize("guess", [b"", b"a guess"])
    def test_is_not_dodged_by_who_knows_all_but_the_key(self, guess: bytes) -> None:
        posts = [record(external_id=f"post-{index}") for index in range(20_000)]
        never_drawn = [post for post in posts if draw(post, "release", key=guess) >= 0.02]
        surest = sorted(never_drawn, key=lambda post: -draw(post, "release", key=guess))[:10_000]

        caught = sum(draw(post, "release", key=KEY) < 0.02 for post in surest)

        assert caught == pytest.approx(200, abs=60)


class TestExpectedHarm:
    def test_grows_with_probability_audience_and_spread(self) -> None:
        seen = record(author=AuthorSnapshot(external_id="spammer", followers=9_999), shares=3, comments=4)

        assert expected_harm(record(), probability=0.5) == 0.5
        assert expected_harm(seen, probability=0.5) == pytest.approx(0.5 * (1 + 4 + 3))
        assert expected_harm(seen, probability=0.6) > expected_harm(seen, probability=0.5)

    @pytest.mark.parametrize(
        ("effect", "is_drawn", "says"), [(None, False, 0.01), (None, True, 0.5), (Effect.HOLD, False, 0.5)]
    )
    def test_goes_by_no_opinion_in_audits_and_holds(
        self, effect: Effect | None, is_drawn: bool, says: float
    ) -> None:
        unsampled = decided(0.01, effect=effect)

        assert opinion(sampled(unsampled, chance=0.02, is_drawn=is_drawn), 0.01) == says
