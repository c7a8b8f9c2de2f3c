"""Draw decisions to be judged again by somebody else, and open their cases as far as the queue has room.

A sweep does both, after the time for undoing: no decision waits for its draw. Answers are in `blind_answers`.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation.models import BlindReview, BlindReviewPlan, Case, Decision, Platform, Post, User
from moderation.models.blind_reviews import BlindCause
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import DecisionSource
from moderation.models.users import Role
from moderation.operations.audit import entries
from moderation.operations.cases import golden_items, opening
from moderation.operations.cases.opening import Opening
from moderation.operations.infrastructure import transactions
from moderation.operations.refusals import NotAllowed, OutOfRange
from moderation.queries import case_access, latest_scores

_audit = entries.writer("platform")
MOST_OF_QUEUE = 0.1
"""Share of a platform's open cases that may be blind reviews, so that they never flood the queue."""
FEWEST = 5
"""This many may wait, however short the queue is."""
MOST_FIRST_DECISIONS = 500
MOST_GOLDEN = 0.5
OUT_OF_RANGE = gettext_lazy(
    "Enter a share from 0 to 100 %, at most 500 first decisions and at most 50 % golden items."
)
WAITS = timedelta(days=7)
"""A blind review that waits longer is dropped, whether or not it has got a case."""
_BATCH = 1_000
_COMMITTED = timedelta(seconds=60)
"""Decisions that took effect later may still have neighbours in transactions that have not committed."""


def plan(
    *,
    platform_id: int,
    share: float,
    first_decisions: int,
    actor: User,
    at: datetime,
    golden_share: float = 0.0,
) -> BlindReviewPlan:
    """Set how many of a platform's decisions are judged again, from those made from now on.

    `golden_share` in [0, 0.5] of the blind reviews are golden items: these hide among the others.

    Raises NotAllowed, OutOfRange or Platform.DoesNotExist.
    """
    if not actor.may_lead:
        raise NotAllowed(_("Only leads plan second reviews."))
    is_possible = 0 <= share <= 1 and 0 <= golden_share <= MOST_GOLDEN
    if not (is_possible and 0 <= first_decisions <= MOST_FIRST_DECISIONS):
        raise OutOfRange(OUT_OF_RANGE)
    with transaction.atomic():
        platform = Platform.objects.get(pk=platform_id)
        row, _is_new = BlindReviewPlan.objects.select_for_update().get_or_create(
            platform=platform, defaults={"drawn_until": at}
        )
        if not (row.share or row.first_decisions):
            # What was decided while nothing was drawn stays undrawn.
            row.drawn_until, row.drawn_id = at, 0
        planned = {"share": share, "first_decisions": first_decisions, "golden_share": golden_share}
        before = entries.replaced(row, planned)
        row.save()
        _audit("blind_reviews.planned", platform, actor=actor, at=at, **planned, before=before)
    return row


def sweep(*, at: datetime) -> int:
    """Draw what took effect since the last sweep, open cases, and withdraw those that nobody took.

    Returns how many cases were opened. Running it again changes nothing.
    """
    count = 0
    for platform_id in BlindReviewPlan.objects.values_list("platform_id", flat=True):
        with transaction.atomic():
            _draw(platform_id, at=at)
        count += fill(platform_id=platform_id, at=at)
    return count


def fill(*, platform_id: int, at: datetime) -> int:
    """Open cases of a platform's blind reviews that wait, as many as the queue has room for."""
    with transaction.atomic():
        # One sweep at a time counts the room.
        plan = BlindReviewPlan.objects.select_for_update().get(pk=platform_id)
        _expire(platform_id, at=at)
        rows = BlindReview.objects.filter(platform=platform_id, case__isnull=True, drawn_at__gt=at - WAITS)
        room = _room(platform_id)
        reviews = list(rows.order_by("pk")[:room])
        # Per other review, so that golden items are the plan's share of all.
        chance = plan.golden_share / (1 - plan.golden_share)
        golden_count = sum(
            draw("golden item", review.pk) < chance for review in reviews if review.golden_id is None
        )
        number = min(golden_count, room // 2)
        reviews = reviews[: room - number]
        return opened([*reviews, *golden_items.drawn(platform_id=platform_id, number=number, at=at)], at=at)


def _draw(platform_id: int, *, at: datetime) -> None:
    """Draw from the next decisions in the order in which they took effect, each once."""
    row = BlindReviewPlan.objects.select_for_update().get(pk=platform_id)
    if not (row.share or row.first_decisions):
        return
    decisions = list(_undrawn(row, until=at - _COMMITTED)[:_BATCH])
    if not decisions:
        return
    firsts = _first_decisions(decisions, row.first_decisions)
    chances = [
        (decision, 1.0 if decision.pk in firsts else row.share)
        for decision in decisions
        # What replaced another decision was judged by two people already.
        if not hasattr(decision, "reversal") and not hasattr(decision, "replaces")
    ]
    BlindReview.objects.bulk_create(
        [
            BlindReview(
                platform_id=platform_id,
                post_id=decision.post_id,
                decision=decision,
                cause=BlindCause.FIRST if decision.pk in firsts else BlindCause.SAMPLE,
                chance=chance,
                drawn_at=at,
            )
            for decision, chance in chances
            if draw("blind review", decision.pk) < chance
        ],
        ignore_conflicts=True,
    )
    row.drawn_until, row.drawn_id = decisions[-1].effective_at, decisions[-1].pk
    row.save(update_fields=("drawn_until", "drawn_id"))


def draw(subject: str, pk: int) -> float:
    """Return a fixed number in [0, 1) for each row, unpredictable without the installation's key."""
    digest = salted_hmac(subject, str(pk), algorithm="sha256").digest()
    return int.from_bytes(digest[:7], "big") / 2**56


def _undrawn(row: BlindReviewPlan, *, until: datetime) -> QuerySet[Decision]:
    """Return the moderators' decisions on single posts after the plan's position."""
    is_later = Q(effective_at__gt=row.drawn_until) | Q(effective_at=row.drawn_until, pk__gt=row.drawn_id)
    decisions = Decision.objects.filter(
        is_later,
        # The plain bound lets the index start at the position.
        effective_at__gte=row.drawn_until,
        effective_at__lte=until,
        post__platform=row.platform_id,
        source=DecisionSource.MODERATOR,
        campaign_decision__isnull=True,
    )
    return decisions.select_related("reversal", "replaces", "decided_by").order_by("effective_at", "pk")


def _first_decisions(decisions: Sequence[Decision], number: int) -> set[int]:
    """Return the first decisions of these moderators."""
    people = {
        decision.decided_by
        for decision in decisions
        if decision.decided_by and decision.decided_by.role == Role.MODERATOR
    }
    firsts: set[int] = set()
    if number:
        for person in people:
            own = Decision.objects.filter(decided_by=person, campaign_decision__isnull=True)
            firsts |= set(own.order_by("decided_at", "pk").values_list("pk", flat=True)[:number])
    return firsts


def _room(platform_id: int) -> int:
    cases = Case.objects.filter(platform=platform_id, state=CaseState.OPEN)
    blind = cases.filter(reason=CaseReason.BLIND).count()
    other_count = cases.count() - blind
    return max(0, max(FEWEST, int(MOST_OF_QUEUE * other_count)) - blind)


@transactions.required
def opened(due: Sequence[BlindReview], *, at: datetime) -> int:
    """Open the cases of blind reviews whose decision still stands; the others come to nothing."""
    reviews = {review.post_id: review for review in due}
    posts = _free_posts(reviews)
    scores = latest_scores.of(posts)
    standing_ids = _still_standing(reviews.values())
    free_reviews = [
        review
        for pk, review in sorted(reviews.items(), key=lambda item: draw("order of cases", item[1].pk))
        if pk in posts and pk in scores and review.pk in standing_ids
    ]
    cases = opening.all_opened(
        [
            Opening(post=posts[review.post_id], score=scores[review.post_id], reason=CaseReason.BLIND)
            for review in free_reviews
        ],
        at=at,
    )
    for review, case in zip(free_reviews, cases, strict=True):
        case.skipped_by = case_access.who_know(posts[review.post_id])
        case.is_drawn = True  # the audit lane works through them, whatever else waits
        review.case = case
    Case.objects.bulk_update(cases, ["skipped_by", "is_drawn"])
    BlindReview.objects.bulk_update(free_reviews, ["case"])
    stale_ids = [review.pk for review in due if review.pk not in standing_ids]
    BlindReview.objects.filter(pk__in=stale_ids).delete()
    return len(cases)


def _free_posts(reviews: Iterable[int]) -> dict[int, Post]:
    """Lock the posts, without those that are erased or have an open case: these are tried again."""
    rows = Post.objects.select_for_update(no_key=True, of=("self",)).select_related("platform")
    posts = {row.pk: row for row in rows.filter(pk__in=list(reviews), erased_at=None).order_by("pk")}
    busy = Case.objects.filter(post__in=posts, state=CaseState.OPEN).values_list("post_id", flat=True)
    return {pk: post for pk, post in posts.items() if pk not in set(busy)}


def _still_standing(reviews: Iterable[BlindReview]) -> set[int]:
    """Return the reviews of decisions in force on the newest text of posts that are not erased."""
    return set(
        BlindReview.objects.filter(
            pk__in=[review.pk for review in reviews],
            post__erased_at__isnull=True,
        )
        .filter(
            Q(
                decision__isnull=False,
                decision__reversal__isnull=True,
                decision__revision__number=F("post__latest_revision"),
            )
            | Q(golden__retired_at__isnull=True, golden__revision__number=F("post__latest_revision"))
        )
        .values_list("pk", flat=True)
    )


def _expire(platform_id: int, *, at: datetime) -> None:
    """Withdraw cases that nobody claimed in time, and delete reviews that never got one."""
    cases = Case.objects.filter(
        Q(lease_end_at__isnull=True) | Q(lease_end_at__lte=at),
        platform=platform_id,
        state=CaseState.OPEN,
        reason=CaseReason.BLIND,
        opened_at__lte=at - WAITS,
    )
    ids = list(cases.select_for_update(skip_locked=True).values_list("pk", flat=True))
    Case.objects.filter(pk__in=ids).update(
        state=CaseState.WITHDRAWN, closed_at=at, claimed_by=None, lease_end_at=None
    )
    reviews = BlindReview.objects.filter(platform=platform_id, case__isnull=True)
    reviews.filter(drawn_at__lte=at - WAITS).delete()
