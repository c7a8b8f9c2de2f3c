"""Turn new scores into open cases or automatic decisions, inside the transaction that saved the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, F, OuterRef

from moderation.models import CampaignDecision, Case, Complaint, Decision, Revision, Score, desk_settings
from moderation.models.cases import KEPT_REASONS, CaseReason, CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.scores import RouteChoice
from moderation.operations.campaigns import new_members
from moderation.operations.cases import lanes, opening
from moderation.operations.cases.opening import Opening
from moderation.operations.decisions import recording
from moderation.operations.decisions.recording import RECONSIDERED
from moderation.operations.outbox import announce
from scoring.evidence_model import EVIDENCE

_SAID_BY_SCORING = frozenset(
    {
        CaseReason.AUDIT.value,
        CaseReason.DEGRADED.value,
        CaseReason.HOLD.value,
        CaseReason.UNREAD_SCRIPT.value,
        CaseReason.UNPROVEN.value,
    }
)
_WITH_ITS_LIKE = frozenset({new_members.REASON, RECONSIDERED})
_VERDICTS = {RouteChoice.ALLOW.value: Verdict.NOT_SPAM, RouteChoice.REMOVE.value: Verdict.SPAM}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """The current state of a post: its open case and its decision in force.

    `is_reported` if complaints came after the decision; `evidence` is what evidence said then. `is_asked` if
    it is reported where a person decides every report.
    """

    case: Case | None
    decision: Decision | None = None
    is_reported: bool = False
    evidence: float = 0.0
    is_asked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _ForHuman:
    """A scored post that a human reviews, and why."""

    standing: _Standing
    score: Score
    reason: str


def apply(*, scores: Sequence[Score], at: datetime) -> None:
    """Open, update or withdraw cases and write automatic decisions, for the latest revision of each post."""
    latest = [score for score in scores if score.revision.number == score.revision.post.latest_revision]
    standings = _standings([score.revision for score in latest])
    rulings = new_members.rulings(scores=latest, at=at)
    automatic: list[Decision] = []
    for_humans: list[_ForHuman] = []
    for score in latest:
        standing = standings[score.revision.post_id]
        if _is_answered(standing, score) or _stands_with_its_like(standing, score):
            continue
        if standing.case is None and _is_soon_scored_again(score, at=at):
            continue
        ruling = rulings.get(score.revision.post_id) if standing.decision is None else None
        if ruling is not None and ruling.decision is not None and not _is_held(standing, at=at):
            _withdraw(standing, at=at)
            automatic.append(_with_campaign(score, ruling.decision, at=at))
        elif ruling is not None and ruling.reason is not None:
            for_humans.append(_ForHuman(standing=standing, score=score, reason=ruling.reason))
        elif score.route == RouteChoice.REVIEW or standing.is_asked or _is_held(standing, at=at):
            for_humans.append(_ForHuman(standing=standing, score=score, reason=_reason(standing, score)))
        else:
            _withdraw(standing, at=at)
            automatic.extend(_automatic(standing, score, at=at))
    cases = _put_before_humans(for_humans, at=at)
    recording.record(decisions=automatic)
    announce.opened(cases, at=at)


def _standings(revisions: Sequence[Revision]) -> dict[int, _Standing]:
    posts = {revision.post_id for revision in revisions}
    cases = {
        case.post_id: case
        for case in Case.objects.select_for_update()
        .filter(post__in=posts, state=CaseState.OPEN)
        .order_by("id")
    }
    later = Complaint.objects.filter(post=OuterRef("post"), received_at__gt=OuterRef("decided_at"))
    in_force = Decision.objects.filter(post__in=posts, reversal__isnull=True).annotate(
        is_reported=Exists(later), evidence=F(f"score__sub_models__{EVIDENCE}")
    )
    asking = [revision.post_id for revision in revisions if revision.post.platform.reviews_reports]
    # No query where no platform wants it.
    asked_about = set(Complaint.objects.filter(post__in=asking).order_by().values_list("post", flat=True))
    # By the order the newest decision in force overwrites those before it.
    standings = {post: _Standing(case=cases.get(post), is_asked=post in asked_about) for post in posts}
    for decision in in_force.order_by("decided_at", "id"):
        standings[decision.post_id] = _Standing(
            case=cases.get(decision.post_id),
            decision=decision,
            is_reported=decision.is_reported,
            evidence=decision.evidence or 0.0,
            is_asked=decision.post_id in asked_about and decision.is_reported,
        )
    return standings


def _is_answered(standing: _Standing, score: Score) -> bool:
    """Whether a human decided this revision: the filter never overrules that."""
    decision = standing.decision
    return (
        decision is not None
        and decision.source == DecisionSource.MODERATOR
        and decision.revision_id == score.revision_id
    )


def _stands_with_its_like(standing: _Standing, score: Score) -> bool:
    """Whether the post was decided with similar posts: the filter alone does not change that.

    In doubt a human decides.
    """
    decision = standing.decision
    return (
        decision is not None
        and standing.case is None
        and decision.reason in _WITH_ITS_LIKE
        and decision.source == DecisionSource.AUTOMATIC
        and decision.revision_id == score.revision_id
        and score.route != RouteChoice.REVIEW
    )


def _is_soon_scored_again(score: Score, *, at: datetime) -> bool:
    """Whether only an answer is missing, and not for long: a case would open and close by itself.

    If the answer stays away, `recovery.ask_people` comes back to the post.
    """
    since = score.revision.scoring.degraded_since
    return (
        score.route_reason == CaseReason.DEGRADED
        and since is not None
        and at - since < timedelta(seconds=desk_settings.current().degraded_seconds)
    )


def _is_held(standing: _Standing, *, at: datetime) -> bool:
    """Whether a case stays open whatever the score: claimed, escalated or requested by somebody."""
    case = standing.case
    if case is None:
        return False
    return (
        case.is_escalated
        or case.reason in KEPT_REASONS
        or (case.lease_end_at is not None and case.lease_end_at > at)
    )


def _put_before_humans(for_humans: Sequence[_ForHuman], *, at: datetime) -> list[Case]:
    """Update open cases, open missing ones, and return the new ones."""
    pairs = [(item.standing.case, item) for item in for_humans if item.standing.case is not None]
    places = opening.queue_places([(item.score, item.reason) for _, item in pairs])
    for case, item in pairs:
        _update(case, item.score, reason=item.reason, place=places[item.score.pk])
    cases = opening.all_opened(
        [
            Opening(post=item.score.revision.post, score=item.score, reason=item.reason)
            for item in for_humans
            if item.standing.case is None
        ],
        at=at,
    )
    lanes.place(cases)
    return cases


def _update(case: Case, score: Score, *, reason: str, place: Mapping[str, Any]) -> None:
    is_new_text = case.score.revision_id != score.revision_id
    case.score = score
    # Cases of a draw keep their order, which must not reveal the filter's score.
    fields = place if case.reason != CaseReason.RANDOM else {}
    for name, value in fields.items():
        setattr(case, name, value)
    # A decision made on the old text must not apply to the new one: the version changes.
    case.version += int(is_new_text)
    case.skipped_by = [] if is_new_text else case.skipped_by
    case.reason = case.reason if case.is_escalated or case.reason in KEPT_REASONS else reason
    is_kept = case.is_drawn and case.reason in (CaseReason.RANDOM, CaseReason.BLIND)
    case.is_drawn = is_kept or score.is_audit_sample or score.is_review_sample
    case.save(update_fields=("score", "version", "skipped_by", "reason", "is_drawn", *fields))


def _reason(standing: _Standing, score: Score) -> str:
    """Return the reason of the case: what speaks against an automatic verdict comes before other doubts."""
    if score.route != RouteChoice.REVIEW and (standing.case is not None or standing.is_asked):
        # Somebody has it, or asked for it, whatever the filter would do now.
        return standing.case.reason if standing.case is not None else CaseReason.REPORTED
    decision = standing.decision
    if score.route_reason in _SAID_BY_SCORING or decision is None:
        return score.route_reason
    if decision.revision_id != score.revision_id:
        return CaseReason.REVISED
    if standing.is_reported and decision.verdict == Verdict.NOT_SPAM:
        return CaseReason.COMPLAINTS
    if (score.sub_models.get(EVIDENCE) or 0.0) > standing.evidence:
        return CaseReason.EVIDENCE
    return score.route_reason


def _withdraw(standing: _Standing, *, at: datetime) -> None:
    if standing.case is not None:
        standing.case.state = CaseState.WITHDRAWN
        standing.case.closed_at = at
        standing.case.save(update_fields=("state", "closed_at"))


def _with_campaign(score: Score, decision: CampaignDecision, *, at: datetime) -> Decision:
    reason, verdict = new_members.REASON, decision.verdict
    return recording.automatic(score, verdict=verdict, reason=reason, at=at, campaign_decision=decision)


def _automatic(standing: _Standing, score: Score, *, at: datetime) -> list[Decision]:
    """Return the automatic decision, unless the same verdict on the same revision already stands."""
    verdict = _VERDICTS[score.route]
    decision = standing.decision
    if decision is not None and decision.revision_id == score.revision_id and decision.verdict == verdict:
        return []
    return [recording.automatic(score, verdict=verdict, reason=_cause(score), at=at)]


def _cause(score: Score) -> str:
    """Return the code of the rule that decided, empty if the models did.

    The codes are in docs/api-guide.md.
    """
    if score.ban is not None:
        return f"banned_{score.ban.kind}"
    return "allowed" if score.is_allowed else ""
