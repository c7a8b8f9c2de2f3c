"""Decide a whole campaign at once, and leave members out of it. Taking back: `campaign_reversals`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from moderation import enqueue
from moderation.models import Campaign, CampaignDecision, CampaignMember, Platform, User, desk_settings
from moderation.models.campaigns import OPEN_STATES, CampaignDecisionState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.operations import refusals
from moderation.operations.audit import entries
from moderation.operations.campaigns import apply
from moderation.operations.decisions import recording
from moderation.operations.outbox import announce
from moderation.operations.refusals import NotAllowed, NotConfirmed, Refusal
from moderation.queries.campaigns import campaign_members, platform_campaigns

AT_ONCE = 500
"""Up to this many posts are decided in the request; more by a task."""

_audit = entries.writer("campaign", subject_id="campaign_id", decision="pk")
_audit_member = entries.writer("campaign", subject_id="campaign_id", post="post_id")


class CountMoved(Refusal):
    """Posts joined, left or were decided meanwhile: the moderator would decide posts never shown."""

    def __init__(self, *, expected: int, found: int) -> None:
        super().__init__(
            _("This campaign had %(expected)d posts to decide when you opened it; now it has %(found)d.")
            % {"expected": expected, "found": found}
        )
        self.expected, self.found = expected, found


class NothingToDecide(Refusal):
    """No post of the campaign waits for this decision."""


class StillRunning(Refusal):
    """An earlier decision on this campaign is being carried out."""


class SharedCampaign(Refusal):
    """The campaign holds posts of other platforms, which this platform's key must not decide."""


class NoMember(Exception):
    """A post that was named is not in the campaign; the message has its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A moderator's decision on a campaign, after seeing `expected_count` posts."""

    verdict: Verdict
    expected_count: int
    confirmed_count: int | None = None
    has_filtered: bool = False
    reason: str = ""
    note: str = ""


def decide(*, campaign_id: int, wanted: Wanted, moderator: User, at: datetime) -> CampaignDecision:
    """Settle every member that waits, each with a decision of its own; all or none.

    Raises CountMoved, NotConfirmed, NothingToDecide, StillRunning, NotAllowed or Campaign.DoesNotExist. A
    task decides a large campaign, after the time for undoing. Cases claimed by others are decided, too; those
    users see the winning decision.
    """
    if not moderator.may_decide:
        raise NotAllowed(_("This role does not decide cases."))
    with transaction.atomic():
        campaign = _locked(campaign_id)
        members = _meant(campaign, wanted, moderator=moderator)
        _refuse(campaign, wanted, found=len(members))
        decision = _row(campaign, wanted, members=members, moderator=moderator, at=at)
        recording.reconsider_after_campaign(decision)
        if decision.state == CampaignDecisionState.DONE:
            count = apply.settle(decision=decision, member_ids=members, at=at)
            if count != wanted.expected_count:
                # One of them was decided between the count and the lock.
                raise CountMoved(expected=wanted.expected_count, found=count)
            announce.campaign_decided(decision)
        else:
            wait = decision.effective_at - at
            enqueue.campaign(campaign_decision_id=decision.pk, countdown_seconds=wait.total_seconds())
        told = {"verdict": decision.verdict, "posts": decision.posts}
        _audit("campaign.decided", decision, actor=moderator, at=at, **told)
    return decision


def decide_for_platform(
    *,
    platform: Platform,
    campaign_id: int,
    wanted: Wanted,
    excluded: Sequence[int],
    seen: Sequence[int],
    moderator: User,
    at: datetime,
) -> CampaignDecision:
    """Leave out the excluded posts, then decide all others that wait; all of it or nothing.

    `seen` are the posts that were looked at, for the audit log. Raises Campaign.DoesNotExist, SharedCampaign,
    NoMember, and what `decide` raises.
    """
    with transaction.atomic():
        # Posts join under the same lock, so no post of another platform can join between check and decision.
        _locked(campaign_id)
        if platform_campaigns.is_shared(platform=platform, campaign_id=campaign_id):
            raise SharedCampaign(_("This campaign contains posts from other platforms."))
        _refuse_strangers(campaign_id, [*excluded, *seen])
        for post_id in excluded:
            leave_out(campaign_id=campaign_id, post_id=post_id, is_left_out=True, moderator=moderator, at=at)
        decision = decide(campaign_id=campaign_id, wanted=wanted, moderator=moderator, at=at)
        _audit("campaign.seen", decision, actor=moderator, at=at, posts=list(seen))
    return decision


def leave_out(*, campaign_id: int, post_id: int, is_left_out: bool, moderator: User, at: datetime) -> None:
    """Exclude a member from later decisions on its campaign, or include it again.

    Its case stays in the queue.

    Raises NotAllowed or CampaignMember.DoesNotExist.
    """
    if not moderator.may_decide:
        raise NotAllowed(_("This role does not decide cases."))
    with transaction.atomic():
        _locked(campaign_id)
        members = CampaignMember.objects.filter(post__erased_at__isnull=True)
        member = members.get(campaign=campaign_id, post=post_id)
        member.left_out_at = at if is_left_out else None
        member.left_out_by = moderator if is_left_out else None
        member.save(update_fields=("left_out_at", "left_out_by"))
        action = "campaign.left_out" if is_left_out else "campaign.taken_in"
        _audit_member(action, member, actor=moderator, at=at)


def _locked(campaign_id: int) -> Campaign:
    """Lock the campaign against other decisions and against posts that join it."""
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign_id, merged_into__isnull=True)


def _meant(campaign: Campaign, wanted: Wanted, *, moderator: User) -> list[int]:
    places = campaign_members.meant(
        verdict=wanted.verdict, has_filtered=wanted.has_filtered, may_lead=moderator.may_lead
    )
    members = campaign_members.placed(CampaignMember.objects.filter(campaign=campaign), viewer=moderator)
    return list(members.filter(place__in=places).order_by("id").values_list("pk", flat=True))


def _refuse(campaign: Campaign, wanted: Wanted, *, found: int) -> None:
    if CampaignDecision.objects.filter(campaign=campaign, state__in=OPEN_STATES).exists():
        raise StillRunning(_("An earlier decision on this campaign is still being applied."))
    if found != wanted.expected_count:
        raise CountMoved(expected=wanted.expected_count, found=found)
    if not found:
        raise NothingToDecide(_("Nothing in this campaign is waiting for a decision."))
    if found >= refusals.CONFIRMED_FROM and wanted.confirmed_count != found:
        raise NotConfirmed(_("Confirm that you mean %(found)d posts.") % {"found": found})


def _refuse_strangers(campaign_id: int, post_ids: Sequence[int]) -> None:
    members = CampaignMember.objects.filter(campaign=campaign_id, post__in=post_ids)
    member_ids = set(members.values_list("post_id", flat=True))
    for post_id in post_ids:
        if post_id not in member_ids:
            raise NoMember(str(post_id))


def _row(
    campaign: Campaign, wanted: Wanted, *, members: list[int], moderator: User, at: datetime
) -> CampaignDecision:
    is_large = len(members) > AT_ONCE
    return CampaignDecision.objects.create(
        campaign=campaign,
        verdict=wanted.verdict,
        reason=wanted.reason,
        note=wanted.note,
        decided_by=moderator,
        decided_at=at,
        effective_at=at + timedelta(seconds=desk_settings.current().undo_seconds)
        if is_large
        else recording.effective_at(source=DecisionSource.MODERATOR, decided_at=at),
        has_filtered=wanted.has_filtered,
        posts=len(members),
        member_ids=members if is_large else [],
        state=CampaignDecisionState.WAITING if is_large else CampaignDecisionState.DONE,
    )
