"""Hours are counted from rows, each once, without a gap."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from moderation.models import Decision, DeliveryAttempt, HourlyCount, Platform, Post, Reversal, User
from moderation.models.activity import Measure
from moderation.models.decisions import Verdict
from moderation.operations import activity
from moderation.operations.cases import reversals
from moderation.operations.webhooks import endpoints
from tests.moderation.conftest import Case_, Post_
from tests.moderation.operations.conftest import decide

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def numbers(measure: Measure) -> dict[datetime, int]:
    """Return what was counted, hours of nothing left out."""
    rows = HourlyCount.objects.filter(measure=measure, number__gt=0)
    return dict(rows.values_list("hour", "number"))


def test_posts_are_counted_in_the_hour_of_their_arrival(post: Post_, at: datetime) -> None:
    for minutes in (0, 59, 60):
        post(at=at + timedelta(minutes=minutes))

    activity.count(at=at + 2 * HOUR)

    assert numbers(Measure.POSTS) == {at: 2, at + HOUR: 1}


def test_an_erased_post_did_arrive(post: Post_, at: datetime) -> None:
    Post.objects.filter(pk=post().pk).update(erased_at=at)

    activity.count(at=at)

    assert numbers(Measure.POSTS) == {at: 1}


def test_a_decided_case_was_opened_too(open_case: Case_, moderator: User, at: datetime) -> None:
    open_case()
    decide(open_case(), moderator, at=at + HOUR)

    activity.count(at=at + HOUR)

    assert numbers(Measure.CASES) == {at: 2}
    assert numbers(Measure.PEOPLE_SPAM) == {at + HOUR: 1}


def test_decisions_are_kept_apart_by_verdict_and_person(
    open_case: Case_, moderator: User, other_moderator: User, at: datetime
) -> None:
    for by, verdict in (
        (moderator, Verdict.SPAM),
        (moderator, Verdict.NOT_SPAM),
        (other_moderator, Verdict.NOT_SPAM),
    ):
        decide(open_case(), by, verdict=verdict, at=at + HOUR)

    activity.count(at=at + HOUR)

    people = HourlyCount.objects.filter(user__isnull=False).values_list("user", "measure", "number")
    assert set(people) == {
        (moderator.pk, Measure.PEOPLE_SPAM, 1),
        (moderator.pk, Measure.PEOPLE_FINE, 1),
        (other_moderator.pk, Measure.PEOPLE_FINE, 1),
    }


def test_the_filter_is_counted_by_itself(open_case: Case_, at: datetime) -> None:
    case = open_case()
    Decision.objects.create(
        post=case.post,
        revision=case.score.revision,
        score=case.score,
        verdict=Verdict.SPAM,
        source="automatic",
        decided_at=at,
        effective_at=at,
    )

    activity.count(at=at)

    assert numbers(Measure.FILTER_SPAM) == {at: 1}
    assert numbers(Measure.PEOPLE_SPAM) == {}


def test_what_was_undone_was_not_decided(open_case: Case_, moderator: User, at: datetime) -> None:
    made = decide(open_case(), moderator, at=at)
    activity.count(at=at)
    assert numbers(Measure.PEOPLE_SPAM) == {at: 1}

    reversals.undo(decision_id=made.pk, moderator=moderator, at=at + timedelta(seconds=5))
    activity.count(at=at + HOUR)

    assert numbers(Measure.PEOPLE_SPAM) == {}


def test_a_correction_is_a_second_decision(open_case: Case_, moderator: User, at: datetime) -> None:
    made = decide(open_case(), moderator, at=at)
    reversals.correct(
        decision_id=made.pk,
        verdict=Verdict.NOT_SPAM,
        reason="I misread it",
        moderator=moderator,
        at=at + HOUR,
    )
    assert Reversal.objects.exists()

    activity.count(at=at + HOUR)

    assert numbers(Measure.PEOPLE_SPAM) == {at: 1}
    assert numbers(Measure.PEOPLE_FINE) == {at + HOUR: 1}


def test_calls_that_failed_are_counted(platform: Platform, at: datetime) -> None:
    endpoint, _ = endpoints.add(platform=platform, url="https://hook.example/", at=at)
    delivery = endpoint.deliveries.create(
        platform=platform, event="case.opened", body={}, created_at=at, next_attempt_at=at
    )
    for error in ("", "no answer"):
        DeliveryAttempt.objects.create(delivery=delivery, at=at, error=error, duration_ms=1)

    activity.count(at=at)

    assert numbers(Measure.FAILED_CALLS) == {at: 1}


def test_an_hour_of_nothing_is_counted(at: datetime) -> None:
    counted = activity.count(at=at)

    assert counted == 3
    assert list(HourlyCount.objects.values_list("hour", "number")) == [
        (at - 2 * HOUR, 0),
        (at - HOUR, 0),
        (at, 0),
    ]


def test_hours_that_were_missed_are_made_up_for(post: Post_, at: datetime) -> None:
    activity.count(at=at)
    post(at=at + 30 * HOUR)

    activity.count(at=at + 50 * HOUR)

    hours = HourlyCount.objects.filter(measure=Measure.POSTS).values_list("hour", flat=True)
    assert list(hours) == [at + number * HOUR for number in range(-2, 51)]
    assert numbers(Measure.POSTS) == {at + 30 * HOUR: 1}


def test_a_long_absence_is_made_up_for_in_parts(at: datetime) -> None:
    activity.count(at=at)
    later = at + 400 * HOUR

    runs = [activity.count(at=later) for _ in range(3)]

    assert runs == [169, 169, 71]
    assert HourlyCount.objects.filter(hour=later).exists()


def test_history_is_counted_back_to_the_first_post(post: Post_, at: datetime) -> None:
    post(at=at - 100 * HOUR)

    for _ in range(4):
        activity.count(at=at)

    hours = HourlyCount.objects.filter(measure=Measure.POSTS).values_list("hour", flat=True)
    assert list(hours) == [at - number * HOUR for number in range(100, -1, -1)]
    assert numbers(Measure.POSTS) == {at - 100 * HOUR: 1}


def test_counting_twice_changes_nothing(post: Post_, at: datetime) -> None:
    post()

    activity.count(at=at)
    activity.count(at=at)

    assert numbers(Measure.POSTS) == {at: 1}
