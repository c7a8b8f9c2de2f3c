"""Propose the candidate of a training run, with the report that the gate asks when it is confirmed."""

from __future__ import annotations

from datetime import datetime

from moderation.models import ReleaseProposal, TrainingRun, User
from moderation.models.learning import ProposalKind
from moderation.operations.learning import proposals
from moderation.operations.refusals import Refusal


class NoCandidate(Refusal):
    """The training run made no release."""


def propose(*, run_id: int, reason: str, actor: User, at: datetime) -> ReleaseProposal:
    """Propose that a run's candidate goes live. Raises NoCandidate or as proposals.propose."""
    run = TrainingRun.objects.get(pk=run_id)
    if not run.candidate:
        raise NoCandidate(f"Training run {run.pk} made no release.")
    return proposals.propose(
        kind=ProposalKind.PROMOTION,
        candidate=run.candidate,
        changes={"training_run": run.pk},
        evidence=run.report or {},
        reason=reason,
        actor=actor,
        at=at,
    )
