"""Posts that the filter allowed before similar posts were decided to be spam."""

from collections.abc import Iterable

from django.db.models import F, QuerySet

from moderation.models import CampaignMember, Post, Reconsideration
from moderation.models.campaigns import CampaignDecisionState
from moderation.models.cases import CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.queries import outcome_counts
from moderation.queries.campaigns import campaign_members
from moderation.queries.campaigns.campaign_members import Place

_MOST = 1_000
_ALLOWED = f"{DecisionSource.AUTOMATIC}:{Verdict.NOT_SPAM}"


def holds(row: Reconsideration) -> bool:
    """Return whether the decision that requested it is still in force."""
    if row.decision is not None:
        return not hasattr(row.decision, "reversal")
    cause = row.campaign_decision
    is_done = cause is not None and cause.state == CampaignDecisionState.DONE
    return is_done and not hasattr(cause, "correction")


def is_carried_out(row: Reconsideration) -> bool:
    """Return whether the decision is complete: a large campaign is decided in batches."""
    cause = row.campaign_decision
    return cause is None or cause.state not in (CampaignDecisionState.WAITING, CampaignDecisionState.RUNNING)


def is_on_words(row: Reconsideration) -> bool:
    """Return whether the single decision that requested it says anything of others who use the same words."""
    return row.decision is not None and not row.decision.label.rests_on_evidence


def posts(row: Reconsideration, *, limit: int) -> list[int]:
    """Return the next posts, the newest first: members of the campaign that were not left out and, of a
    single decision on words, near-duplicates on its platform. None waits, and no human has decided on any.
    """
    candidates = _campaign(row) if row.campaign_decision_id else _like(row)
    if row.reached_id:
        candidates = candidates.filter(pk__lt=row.reached_id)
    return list(candidates.order_by("-pk").values_list("pk", flat=True)[:limit])


def still_allowed(post_ids: Iterable[int]) -> QuerySet[Post]:
    """Return the posts whose only decision in force is the filter's "not spam", and that do not wait."""
    return _allowed(Post.objects.filter(pk__in=post_ids))


def _campaign(row: Reconsideration) -> QuerySet[Post]:
    if row.campaign_decision is None:
        return Post.objects.none()
    campaign = row.campaign_decision.campaign
    return _members(campaign.merged_into_id or campaign.pk)


def _like(row: Reconsideration) -> QuerySet[Post]:
    decision = row.decision
    if decision is None:
        return Post.objects.none()
    group = decision.revision.similarity_group if is_on_words(row) else None
    ids = set(
        _allowed(
            Post.objects.filter(
                platform=decision.post.platform_id,
                revisions__grouped__similarity_group=group,
                revisions__number=F("latest_revision"),
            )
        ).values_list("pk", flat=True)[:_MOST]
        if group
        else ()
    )
    place = CampaignMember.objects.filter(post=decision.post_id, left_out_at__isnull=True).first()
    if place is not None:
        members = _members(place.campaign_id).filter(platform=decision.post.platform_id)
        ids |= set(members.order_by("-pk").values_list("pk", flat=True)[:_MOST])
    return Post.objects.filter(pk__in=ids - {decision.post_id})


def _members(campaign_id: int) -> QuerySet[Post]:
    members = campaign_members.placed(CampaignMember.objects.filter(campaign=campaign_id))
    return Post.objects.filter(pk__in=members.filter(place=Place.ALLOWED).values("post"))


def _allowed(rows: QuerySet[Post]) -> QuerySet[Post]:
    return (
        rows.filter(erased_at__isnull=True)
        .exclude(cases__state=CaseState.OPEN)
        .annotate(standing=outcome_counts.standing(post="pk"))
        .filter(standing=_ALLOWED)
    )
