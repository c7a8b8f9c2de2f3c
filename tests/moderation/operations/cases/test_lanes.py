"""Lanes: what each hands out, what is logged, and that weighted labels give the route's rates."""

from collections import Counter
from datetime import datetime, timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from moderation.models import Campaign, CampaignMember, Case, QueueMix, User
from moderation.models.cases import Lane
from moderation.operations.cases import claims, lanes
from moderation.queries.cases import queue_mix as mixes
from moderation.queries.cases.exposure import Exposure
from moderation.queries.cases.queue_filter import QueueFilter, Sort
from moderation.queries.cases.queue_mix import Mix
from moderation.queries.labels import label_json
from moderation.queries.quality import estimates
from tests.moderation.conftest import Case_
from tests.moderation.instants import AT, later
from tests.moderation.operations.cases import queue_week

pytestmark = pytest.mark.usefixtures("fresh_mix")


def set_mix(at: datetime, **shares: int) -> None:
    QueueMix.objects.update_or_create(pk=1, defaults={**shares, "changed_at": at})


def put(case: Case, **fields: object) -> Case:
    Case.objects.filter(pk=case.pk).update(**fields)
    return case


class TestDrawn:
    def test_follows_the_shares_and_says_the_chance(self) -> None:
        mix = Mix(harm=50, uncertainty=30, diversity=20)
        draws = [
            lanes.drawn(mix, moderator_id=1, at=AT + timedelta(seconds=second), place=0, of_drawn=0.25)
            for second in range(4_000)
        ]

        counted = Counter(draws)
        assert sum(chance for _, chance in counted) == pytest.approx(1.0)
        assert (Lane.AUDIT, 0.25) in counted
        for (_, chance), times in counted.items():
            assert times / len(draws) == pytest.approx(chance, abs=0.03)

    def test_is_the_same_again_and_another_for_another_place(self) -> None:
        mix = Mix(harm=40, uncertainty=20, diversity=20, audit=20)
        places = [lanes.drawn(mix, moderator_id=1, at=AT, place=place) for place in range(40)]

        assert places == [lanes.drawn(mix, moderator_id=1, at=AT, place=place) for place in range(40)]
        assert len({lane for lane, _ in places}) > 2

    def test_is_harm_where_nothing_is_set(self) -> None:
        assert lanes.drawn(Mix(), moderator_id=1, at=AT, place=0) == (Lane.HARM, 1.0)


class TestFirst:
    @pytest.fixture(autouse=True)
    def _no_oldest(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(lanes, "OLDEST_SHARE", 0.0)
        monkeypatch.setattr(mixes, "MOST_OF_DRAWN", 0.0)

    @pytest.fixture
    def cases(self, open_case: Case_) -> dict[str, Case]:
        """A case that each lane alone takes first."""
        return {
            "harm": put(open_case(text="a"), priority=9, uncertainty=0.1, is_first_of_campaign=False),
            "uncertainty": put(open_case(text="b"), priority=1, uncertainty=0.9, is_first_of_campaign=False),
            "diversity": put(open_case(text="c"), priority=2, uncertainty=0.2),
            "audit": put(open_case(text="d"), priority=0.1, uncertainty=0.5, is_drawn=True),
        }

    @pytest.mark.parametrize("lane", ["harm", "uncertainty", "diversity", "audit"])
    def test_takes_from_a_lane_and_logs_it(self, cases: dict[str, Case], moderator: User, lane: str) -> None:
        set_mix(AT, **{"harm": 0, lane: 100})

        claims.claim_next(moderator=moderator, at=later(2))

        found = Case.objects.get(claimed_by=moderator)
        assert found.pk == cases[lane].pk
        assert (found.lane, found.lane_probability) == (lane, 1.0)

    def test_leaves_drawn_cases_to_their_lane(self, cases: dict[str, Case], moderator: User) -> None:
        put(cases["audit"], priority=100)
        set_mix(AT, harm=99, audit=1)

        taken = {case.pk: case.lane for case in claims.claim_next(moderator=moderator, at=later(2), count=3)}

        assert all(lane == Lane.AUDIT for pk, lane in taken.items() if pk == cases["audit"].pk)

    def test_leaves_the_turn_of_an_empty_lane_to_harm(self, cases: dict[str, Case], moderator: User) -> None:
        put(cases["audit"], is_drawn=False)
        set_mix(AT, harm=0, audit=100)

        claims.claim_next(moderator=moderator, at=later(2))

        found = Case.objects.get(claimed_by=moderator)
        assert (found.pk, found.lane, found.lane_probability) == (cases["harm"].pk, "harm", None)

    def test_hands_every_case_out_in_the_end(self, cases: dict[str, Case], moderator: User) -> None:
        set_mix(AT, harm=25, uncertainty=25, diversity=25, audit=25)

        taken = claims.claim_next(moderator=moderator, at=later(2), count=9)

        assert sorted(case.pk for case in taken) == sorted(case.pk for case in cases.values())
        assert len({case.lane for case in Case.objects.all()} - {""}) > 1

    def test_gives_the_oldest_its_turn(
        self, cases: dict[str, Case], moderator: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lanes, "OLDEST_SHARE", 1.0)
        set_mix(AT, harm=90, audit=10)
        old = put(cases["diversity"], opened_at=AT - timedelta(days=2))

        [found] = claims.claim_next(moderator=moderator, at=later(2))

        assert (found.pk, found.lane) == (old.pk, "oldest")

    def test_keeps_an_order_that_somebody_chose(self, cases: dict[str, Case], moderator: User) -> None:
        set_mix(AT, harm=0, audit=100)
        wanted = QueueFilter(sort=Sort.UNCERTAINTY)

        [found] = claims.claim_free(
            moderator=moderator, at=later(2), count=1, sparing=Exposure(), wanted=wanted
        )

        assert (found.pk, found.lane) == (cases["uncertainty"].pk, "")

    def test_gives_leads_escalated_cases_first(self, cases: dict[str, Case], lead: User) -> None:
        put(cases["uncertainty"], is_escalated=True)
        set_mix(AT, harm=0, audit=100)

        [found] = claims.claim_next(moderator=lead, at=later(2))

        assert (found.pk, found.lane) == (cases["uncertainty"].pk, "")

    @pytest.mark.parametrize("shares", [{"harm": 100}, {"harm": 0, "audit": 100}])
    def test_takes_one_statement_for_a_case(
        self, cases: dict[str, Case], moderator: User, shares: dict[str, int]
    ) -> None:
        set_mix(AT, **shares)

        with CaptureQueriesContext(connection) as asked:
            claims.claim_next(moderator=moderator, at=later(2))

        own = [one["sql"] for one in asked if "moderation_case" in one["sql"]]
        assert sum("SKIP LOCKED" in one and 'lease_end_at" > ' not in one for one in own) <= 1
        assert sum(one.startswith('UPDATE "moderation_case"') for one in own) == 1


def test_only_the_first_post_of_a_campaign_counts_as_new(open_case: Case_) -> None:
    cases = [open_case(text=text) for text in ("one", "two", "three")]
    campaign = Campaign.objects.create(opened_at=AT, latest_at=AT)
    for case in cases[:2]:
        CampaignMember.objects.create(
            post=case.post, revision=case.score.revision, campaign=campaign, joined_at=AT, likeness=1.0
        )

    lanes.place(cases)

    found = Case.objects.order_by("pk").values_list("is_first_of_campaign", flat=True)
    assert list(found) == [True, False, True]


class TestWeights:
    """Two fifths of the review route are decided, the most harmful first: the queue is never emptied."""

    MIX = Mix(harm=60, uncertainty=10, diversity=10, audit=20)
    WEEKS = 40

    def test_give_back_the_rates_of_the_review_route(self) -> None:
        covered = unweighted = 0
        errors = []
        for seed in range(self.WEEKS):
            week = queue_week.simulated(seed, self.MIX)
            truth = float(np.mean(week.is_spam))
            weights = [
                label_json.weight_of(audit_probability=chance, is_audit_sample=is_drawn)
                for chance, is_drawn in zip(week.column(week.chance), week.column(week.is_drawn), strict=True)
            ]
            spam, counts = week.column(week.is_spam), np.asarray(weights) > 0
            whole = np.ones(counts.sum())
            known = estimates.ratio(part=spam[counts], whole=whole, chances=1 / np.asarray(weights)[counts])
            naive = estimates.ratio(part=spam, whole=np.ones(len(spam)), chances=np.ones(len(spam)))
            covered += known.low <= truth <= known.high
            unweighted += naive.low <= truth <= naive.high
            assert known.value is not None
            errors.append(known.value - truth)

        assert covered >= 0.95 * self.WEEKS
        assert unweighted == 0
        assert abs(np.mean(errors)) < 3 * np.std(errors) / np.sqrt(self.WEEKS)

    def test_need_the_audit_lane(self) -> None:
        """Without it all count once, as if the queue were emptied, and the rate is wrong."""
        week = queue_week.simulated(1, Mix())
        spam = week.column(week.is_spam)

        found = estimates.ratio(part=spam, whole=np.ones(len(spam)), chances=week.column(week.chance))

        assert found.low > float(np.mean(week.is_spam))
