"""Golden items: marked and confirmed by two leads, given out among blind reviews, retired."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from moderation.models import BlindReview, Case, Decision, GoldenItem, User
from moderation.models.blind_reviews import BlindCause
from moderation.models.cases import CaseReason, CaseState
from moderation.models.users import Role
from moderation.operations.audit import entries
from moderation.operations.cases import overrule
from moderation.operations.infrastructure import transactions
from moderation.operations.refusals import Erased, NotAllowed, Refusal
from moderation.queries import case_access
from moderation.queries.accounts.users import is_in_hands_of
from moderation.queries.cases import golden_items

_audit = entries.writer("golden_item")


class NotGolden(Refusal):
    """No decision of a person stands on the newest text, or the post was marked before."""


class NeedsAnother(Refusal):
    """A golden item is confirmed by another lead than the one who marked it."""


def mark(*, post_id: int, lead: User, at: datetime, note: str = "") -> GoldenItem:
    """Vouch for the decision that stands on a post; a second lead has to confirm it.

    Raises NotAllowed, Erased or NotGolden.
    """
    _refuse_others(lead)
    with transaction.atomic():
        if not transactions.lock_posts(pk=post_id):
            raise Erased("The post was erased.")
        decision = overrule.standing_of_person(post=post_id)
        is_marked = GoldenItem.objects.filter(post=post_id).exists()
        if decision is None or is_marked or decision.revision.number != decision.post.latest_revision:
            raise NotGolden(_("Only a post that a person decided becomes a golden item, and only once."))
        item = GoldenItem.objects.create(
            platform_id=decision.post.platform_id,
            post=decision.post,
            revision=decision.revision,
            verdict=decision.verdict,
            reason=decision.reason,
            note=note,
            marked_by=lead,
            marked_at=at,
        )
        _audit("golden_item.marked", item, actor=lead, at=at)
    return item


def confirm(*, item_id: int, lead: User, at: datetime) -> GoldenItem:
    """Vouch for a verdict that another lead marked.

    Raises NotAllowed, NeedsAnother, NotGolden or GoldenItem.DoesNotExist.
    """
    _refuse_others(lead)
    with transaction.atomic():
        item = GoldenItem.objects.select_for_update().get(pk=item_id)
        if is_in_hands_of(item.marked_by_id, account=lead, since=item.marked_at):
            raise NeedsAnother(_("Another lead confirms what you marked."))
        if item.confirmed_at is not None or item.retired_at is not None:
            raise NotGolden(_("This golden item is confirmed or retired already."))
        item.confirmed_by, item.confirmed_at = lead, at
        item.save(update_fields=("confirmed_by", "confirmed_at"))
        _audit("golden_item.confirmed", item, actor=lead, at=at)
    return item


def retire(*, item_id: int, lead: User, at: datetime, is_wrong: bool) -> GoldenItem:
    """Give an item to nobody any more; if its verdict was wrong, no answer to it counts.

    Raises NotAllowed or GoldenItem.DoesNotExist.
    """
    _refuse_others(lead)
    with transaction.atomic():
        item = GoldenItem.objects.select_for_update().get(pk=item_id)
        if item.retired_at is None or (is_wrong and not item.is_wrong):
            item.retired_by, item.retired_at, item.is_wrong = lead, at, is_wrong
            item.save(update_fields=("retired_by", "retired_at", "is_wrong"))
            _withdraw([item], at=at)
            _audit("golden_item.retired", item, actor=lead, at=at, wrong=is_wrong)
    return item


@transactions.required
def drawn(*, platform_id: int, number: int, at: datetime) -> list[BlindReview]:
    """Return up to `number` new blind reviews of golden items, those answered least first.

    Call inside the transaction that opens their cases.
    """
    _retire_corrected(platform_id, at=at)
    if number <= 0:
        return []
    moderators = set(User.objects.filter(is_active=True, role=Role.MODERATOR).values_list("pk", flat=True))
    items = golden_items.usable(at=at).filter(platform=platform_id)
    return drawn_for(items, people=moderators, number=number, at=at)


@transactions.required
def drawn_for(
    items: QuerySet[GoldenItem], *, people: set[int], number: int, at: datetime
) -> list[BlindReview]:
    """Return up to `number` new blind reviews of items that one of these users may judge, like `drawn`."""
    reviews: list[BlindReview] = []
    for item in _free(items):
        if len(reviews) == number:
            break
        if people - set(case_access.who_know(item.post)):
            reviews.append(
                BlindReview(
                    platform_id=item.platform_id,
                    post=item.post,
                    golden=item,
                    cause=BlindCause.GOLDEN,
                    chance=1.0,
                    drawn_at=at,
                )
            )
    return BlindReview.objects.bulk_create(reviews)


def _free(items: QuerySet[GoldenItem]) -> QuerySet[GoldenItem]:
    """Return those that nobody is to judge at present, answered least first."""
    reviews = BlindReview.objects.filter(golden=OuterRef("pk"), case__isnull=True)
    busy = Case.objects.filter(post=OuterRef("post"), state=CaseState.OPEN)
    items = items.filter(~Exists(reviews), ~Exists(busy)).annotate(given=Count("blind_reviews"))
    return items.select_related("post").order_by("given", "pk")


def _retire_corrected(platform_id: int, *, at: datetime) -> None:
    """Retire items whose decision was corrected: their verdict is disputed, so no answer to them counts."""
    decisions = Decision.objects.filter(
        post=OuterRef("post"), revision=OuterRef("revision"), reversal__isnull=True
    )
    newest = Subquery(decisions.order_by("-decided_at", "-id").values("verdict")[:1])
    items = GoldenItem.objects.filter(platform=platform_id, retired_at__isnull=True)
    disputed_items = list(items.annotate(now=newest).filter(~Q(now=F("verdict")) | Q(now__isnull=True)))
    for item in disputed_items:
        item.retired_at, item.is_wrong = at, True
        item.save(update_fields=("retired_at", "is_wrong"))
        _audit("golden_item.retired", item, actor=None, at=at, wrong=True)
    _withdraw(disputed_items, at=at)


def _withdraw(items: Sequence[GoldenItem], *, at: datetime) -> None:
    BlindReview.objects.filter(golden__in=items, case__isnull=True).delete()
    Case.objects.filter(blind_review__golden__in=items, state=CaseState.OPEN, reason=CaseReason.BLIND).update(
        state=CaseState.WITHDRAWN, closed_at=at, claimed_by=None, lease_end_at=None
    )


def _refuse_others(lead: User) -> None:
    if not lead.may_lead:
        raise NotAllowed(_("Only leads confirm golden items."))
