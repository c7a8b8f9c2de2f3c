"""Settle posts of a campaign: one decision, label, audit entry and delivery each, in a fixed number of
statements. Posts are locked before cases, as scoring does.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db.models import F

from moderation.models import CampaignDecision, CampaignMember, Case, Decision, Label, Post, Score
from moderation.models.cases import CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.operations.decisions import recording
from moderation.operations.infrastructure import transactions
from moderation.queries import latest_scores
from moderation.queries.campaigns import campaign_members

_HEAVY = tuple(f"score__{name}" for name in latest_scores.HEAVY)


@transactions.required
def settle(*, decision: CampaignDecision, member_ids: Sequence[int], at: datetime) -> int:
    """Decide the members whose state has not changed since the decision was made; return how many.

    Call inside a transaction. A member that somebody else decided meanwhile keeps that decision.
    """
    members = CampaignMember.objects.filter(pk__in=member_ids)
    posts = lock_posts(list(members.values_list("post_id", flat=True)))
    cases = lock_cases(posts)
    # Behind the locks: what somebody else decides from here on waits for this transaction.
    post_ids = _still_meant(decision, member_ids)
    scores = latest_scores.of([post for post in post_ids if post not in cases])
    rows = [_decision(decision, posts[post], cases.get(post), scores.get(post), at=at) for post in post_ids]
    # Before the new ones: a post has one live label at most (a constraint).
    Label.objects.filter(post__in=post_ids, retracted_at__isnull=True).update(retracted_at=at)
    recording.record(decisions=rows)
    Case.objects.filter(pk__in=[cases[post].pk for post in post_ids if post in cases]).update(
        state=CaseState.DECIDED, closed_at=at, claimed_by=None, lease_end_at=None
    )
    CampaignDecision.objects.filter(pk=decision.pk).update(settled=F("settled") + len(post_ids))
    return len(post_ids)


def lock_posts(post_ids: Sequence[int]) -> dict[int, Post]:
    """Lock posts for this transaction, always before their cases; their keys stay free for others."""
    rows = Post.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=post_ids)
    return {post.pk: post for post in rows.select_related("platform").order_by("id")}


def lock_cases(posts: Iterable[int]) -> dict[int, Case]:
    """Lock the open cases of locked posts."""
    rows = Case.objects.select_for_update(of=("self",)).filter(post__in=posts, state=CaseState.OPEN)
    rows = rows.select_related("score__revision__grouped").defer(*_HEAVY).order_by("id")
    return {case.post_id: case for case in rows}


def _still_meant(decision: CampaignDecision, member_ids: Sequence[int]) -> list[int]:
    places = campaign_members.meant(
        verdict=Verdict(decision.verdict),
        has_filtered=decision.has_filtered,
        may_lead=decision.decided_by.may_lead,
    )
    members = campaign_members.placed(CampaignMember.objects.filter(pk__in=member_ids))
    return list(members.filter(place__in=places).order_by("post_id").values_list("post_id", flat=True))


def _decision(
    decision: CampaignDecision, post: Post, case: Case | None, score: Score | None, *, at: datetime
) -> Decision:
    score = case.score if case else score
    if score is None:
        raise LookupError(f"post {post.pk} was settled by the filter and has no score")
    return Decision(
        post=post,
        revision=score.revision,
        case=case,
        case_version=case.version if case else None,
        score=score,
        verdict=decision.verdict,
        source=DecisionSource.MODERATOR,
        reason=decision.reason,
        note=decision.note,
        decided_by=decision.decided_by,
        decided_at=at,
        effective_at=max(decision.effective_at, at),
        campaign_decision=decision,
    )
