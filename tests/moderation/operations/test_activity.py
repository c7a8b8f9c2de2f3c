"""Hours are counted from rows, each once, without a gap."""

from datetime import datetime, timedelta

import pytest

from moderation.models import Decision, DeliveryAttempt, HourlyCount, Platform, Post, Reversal, User
from moderation.models.activity import Measure
from moderation.models.decisions import Verdict
from moderation.operations import activity
from moderation.operations.cases import reversals
from moderation.operations.webhooks import endpoints
from tests.moderation.conftest import Case_, Post_, judge
from tests.moderation.instants import AT

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def numbers(measure: Measure) -> dict[datetime, int]:
    """Return what was counted, hours of nothing left out."""
    rows = HourlyCount.objects.filter(measure=measure, number__gt=0)
    return dict(rows.values_list("hour", "number"))


def test_posts_are_counted_in_the_hour_of_their_arrival_also_erased_ones(post: Post_) -> None:
    for minutes in (0, 59, 60):
        row = post(at=AT + timedelta(minutes=minutes))
    Post.objects.filter(pk=row.pk).update(erased_at=AT + HOUR)

    activity.count(at=AT + 2 * HOUR)

    assert numbers(Measure.POSTS) == {AT: 2, AT + HOUR: 1}


def test_a_decided_case_was_opened_too(open_case: Case_, moderator: User) -> None:
    open_case()
    judge(open_case(), moderator, at=AT + HOUR)

    activity.count(at=AT + HOUR)

    assert numbers(Measure.CASES) == {AT: 2}
    assert numbers(Measure.PEOPLE_SPAM) == {AT + HOUR: 1}


def test_decisions_are_kept_apart_by_verdict_and_person(
    open_case: Case_, moderator: User, other_moderator: User
) -> None:
    for by, verdict in (
        (moderator, Verdict.SPAM),
        (moderator, Verdict.NOT_SPAM),
        (other_moderator, Verdict.NOT_SPAM),
    ):
        judge(open_case(), by, verdict=verdict, at=AT + HOUR)

    activity.count(at=AT + HOUR)

    people = HourlyCount.objects.filter(user__isnull=False).values_list("user", "measure", "number")
    assert set(people) == {
        (moderator.pk, Measure.PEOPLE_SPAM, 1),
        (moderator.pk, Measure.PEOPLE_FINE, 1),
        (other_moderator.pk, Measure.PEOPLE_FINE, 1),
    }


def test_the_filter_is_counted_by_itself(open_case: Case_) -> None:
    case = open_case()
    Decision.objects.create(
        post=case.post,
        revision=case.score.revision,
        score=case.score,
        verdict=Verdict.SPAM,
        source="automatic",
        decided_at=AT,
        effective_at=AT,
    )

    activity.count(at=AT)

    assert numbers(Measure.FILTER_SPAM) == {AT: 1}
    assert numbers(Measure.PEOPLE_SPAM) == {}


def test_what_was_undone_was_not_decided(open_case: Case_, moderator: User) -> None:
    made = judge(open_case(), moderator, at=AT)
    activity.count(at=AT)
    assert numbers(Measure.PEOPLE_SPAM) == {AT: 1}

    reversals.undo(decision_id=made.pk, moderator=moderator, at=AT + timedelta(seconds=5))
    activity.count(at=AT + HOUR)

    assert numbers(Measure.PEOPLE_SPAM) == {}


def test_a_correction_is_a_second_decision(open_case: Case_, moderator: User) -> None:
    made = judge(open_case(), moderator, at=AT)
    reversals.correct(
        decision_id=made.pk,
        verdict=Verdict.NOT_SPAM,
        reason="I misread it",
        moderator=moderator,
        at=AT + HOUR,
    )
    assert Reversal.objects.exists()

    activity.count(at=AT + HOUR)

    assert numbers(Measure.PEOPLE_SPAM) == {AT: 1}
    assert numbers(Measure.PEOPLE_FINE) == {AT + HOUR: 1}


def test_calls_that_failed_are_counted(platform: Platform) -> None:
    endpoint, _ = endpoints.add(platform=platform, url="https://hook.example/", at=AT)
    delivery = endpoint.deliveries.create(
        platform=platform, event="case.opened", body={}, created_at=AT, next_attempt_at=AT
    )
    for error in ("", "no answer"):
        DeliveryAttempt.objects.create(delivery=delivery, at=AT, error=error, duration_ms=1)

    activity.count(at=AT)

    assert numbers(Measure.FAILED_CALLS) == {AT: 1}


def test_an_hour_of_nothing_is_counted() -> None:
    counted = activity.count(at=AT)

    assert counted == 3
    counts = HourlyCount.objects.values_list("hour", "number")
    assert list(counts) == [(AT - 2 * HOUR, 0), (AT - HOUR, 0), (AT, 0)]


def test_hours_that_were_missed_are_made_up_for(post: Post_) -> None:
    activity.count(at=AT)
    post(at=AT + 30 * HOUR)

    activity.count(at=AT + 50 * HOUR)

    hours = HourlyCount.objects.filter(measure=Measure.POSTS).values_list("hour", flat=True)
    assert list(hours) == [AT + number * HOUR for number in range(-2, 51)]
    assert numbers(Measure.POSTS) == {AT + 30 * HOUR: 1}


def test_a_long_absence_is_made_up_for_in_parts() -> None:
    activity.count(at=AT)
    later = AT + 400 * HOUR

    runs = [activity.count(at=later) for _ in range(3)]

    assert runs == [169, 169, 71]
    assert HourlyCount.objects.filter(hour=later).exists()


def test_history_is_counted_back_to_the_first_post(post: Post_) -> None:
    post(at=AT - 100 * HOUR)

    for _ in range(4):
        activity.count(at=AT)

    hours = HourlyCount.objects.filter(measure=Measure.POSTS).values_list("hour", flat=True)
    assert list(hours) == [AT - number * HOUR for number in range(100, -1, -1)]
    assert numbers(Measure.POSTS) == {AT - 100 * HOUR: 1}


def test_counting_twice_changes_nothing(post: Post_) -> None:
    post()

    activity.count(at=AT)
    activity.count(at=AT)

    assert numbers(Measure.POSTS) == {AT: 1}
