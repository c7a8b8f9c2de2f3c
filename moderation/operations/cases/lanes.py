"""The lanes of the queue: which one the next claim comes from, and the first cases of each."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Case as Choice
from django.db.models import Exists, FloatField, OuterRef, QuerySet, Value, When
from django.utils.crypto import salted_hmac

from moderation.models import CampaignMember, Case, User
from moderation.models.cases import Lane
from moderation.operations.infrastructure import transactions
from moderation.queries.cases import queue_mix
from moderation.queries.cases.queue_mix import WHOLE, Mix

OLDEST_SHARE = 0.05
"""With a mix, this part of the claims goes to what has waited longest, if it has waited long."""

WAITED_LONG = timedelta(days=1)

_SHORTLY_BEFORE = 50
"""Members of a campaign that are asked whether it had a case."""

_ORDERS = {
    Lane.HARM: ("-priority", "id"),
    Lane.UNCERTAINTY: ("-uncertainty", "id"),
    Lane.DIVERSITY: ("-priority", "id"),
    Lane.AUDIT: ("opened_at", "id"),
    Lane.OLDEST: ("opened_at", "id"),
}


def drawn(
    mix: Mix, *, moderator_id: int, at: datetime, place: int, of_drawn: float = 0.0
) -> tuple[Lane, float]:
    """Draw the lane of a claim, and return its chance with it: the same for the same user, instant and place.

    `of_drawn` is the share of claims for drawn cases, before the mix. Without a mix the rest is harm.
    """
    number, rest = _number(moderator_id, at, place), 1.0 - of_drawn
    if number < of_drawn:
        return Lane.AUDIT, of_drawn
    if mix.is_default:
        return Lane.HARM, rest
    number = (number - of_drawn) / rest
    if number < OLDEST_SHARE:
        return Lane.OLDEST, OLDEST_SHARE * rest
    point = (number - OLDEST_SHARE) / (1.0 - OLDEST_SHARE) * WHOLE
    shares = [(lane, share) for lane, share in mix.shares if share]
    while point >= shares[0][1] and len(shares) > 1:
        point -= shares.pop(0)[1]
    lane, share = shares[0]
    return lane, share / WHOLE * (1.0 - OLDEST_SHARE) * rest


@transactions.required
def first(free: QuerySet[Case], *, count: int, moderator: User, at: datetime) -> list[Case]:
    """Lock the first free cases by the mix, with lane and chance set, unsaved; call inside a transaction.

    A lane that has nothing leaves its turn to harm, then to audit, with no chance: the draw did not decide.
    """
    mix = queue_mix.mix()
    of_drawn = queue_mix.share_of_drawn(mix, at=at)
    turns = Counter(
        drawn(mix, moderator_id=moderator.pk, at=at, place=place, of_drawn=of_drawn) for place in range(count)
    )
    cases: list[Case] = []
    for (lane, chance), number in turns.items():
        cases += _locked(_of_lane(free, lane, at=at), lane, chance, count=number, but=cases)
    for lane in (Lane.HARM, Lane.AUDIT):
        if len(cases) < count:
            cases += _locked(_of_lane(free, lane, at=at), lane, None, count=count - len(cases), but=cases)
    return cases


def logged(cases: Sequence[Case]) -> dict[str, object]:
    """Return the fields that an update has to set so that each case keeps its own lane."""
    kinds = {(case.lane, case.lane_probability) for case in cases}
    if len(kinds) == 1:
        [(lane, chance)] = kinds
        return {"lane": lane, "lane_probability": chance}
    return {
        "lane": Choice(*(When(pk=case.pk, then=Value(case.lane)) for case in cases)),
        "lane_probability": Choice(
            *(When(pk=case.pk, then=Value(case.lane_probability)) for case in cases),
            output_field=FloatField(),
        ),
    }


def place(cases: Sequence[Case]) -> None:
    """Set the lanes of cases just opened on their post's score.

    A case is the first of its campaign if none of the posts that joined it shortly before had a case: all of
    them would be ten thousand in a large campaign.
    """
    drawn_ids = [case.pk for case in cases if case.score.is_audit_sample or case.score.is_review_sample]
    if drawn_ids:
        Case.objects.filter(pk__in=drawn_ids).update(is_drawn=True)
    members = CampaignMember.objects.filter(post__in=[case.post_id for case in cases])
    if not members.exists():
        return
    earlier = CampaignMember.objects.filter(
        campaign=OuterRef(OuterRef("campaign")),
        id__lt=OuterRef(OuterRef("id")),
        left_out_at__isnull=True,
    ).order_by("-id")[:_SHORTLY_BEFORE]
    late = members.filter(Exists(Case.objects.filter(post__in=earlier.values("post"))))
    ids = [case.pk for case in cases]
    Case.objects.filter(pk__in=ids, post__in=late.values("post")).update(is_first_of_campaign=False)


def _of_lane(free: QuerySet[Case], lane: Lane, *, at: datetime) -> QuerySet[Case]:
    if lane is Lane.OLDEST:
        return free.filter(opened_at__lte=at - WAITED_LONG)
    if lane is Lane.AUDIT:
        return free.filter(is_drawn=True)
    # Drawn cases are decided in the order in which they came: picked by harm, those that were decided so far
    # would no longer be a random sample.
    free = free.filter(is_drawn=False)
    return free.filter(is_first_of_campaign=True) if lane is Lane.DIVERSITY else free


def _locked(
    free: QuerySet[Case], lane: Lane, chance: float | None, *, count: int, but: Sequence[Case]
) -> list[Case]:
    rows = free.exclude(pk__in=[case.pk for case in but]) if but else free
    # SKIP LOCKED: moderators who claim at the same time get different cases and never wait.
    cases = list(rows.select_for_update(skip_locked=True, of=("self",)).order_by(*_ORDERS[lane])[:count])
    for case in cases:
        case.lane, case.lane_probability = lane.value, chance
    return cases


def _number(moderator_id: int, at: datetime, place: int) -> float:
    """Return a number in [0, 1) that nobody can know before the claim."""
    digest = salted_hmac("queue mix", f"{moderator_id}:{at.isoformat()}:{place}", algorithm="sha256").digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53
