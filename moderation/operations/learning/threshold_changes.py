"""Propose other thresholds: the release that has them, and figures that page and gate read, frozen."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from moderation.models import Platform, ReleaseProposal, User
from moderation.models.learning import ProposalKind
from moderation.operations.learning import proposals, thresholds
from moderation.queries.cases import pace
from moderation.queries.learning import proposal_pages, simulation, traffic
from moderation.queries.learning.simulation import Basis, Costs, Point
from moderation.queries.learning.traffic import Subject
from scoring.release import Release, Thresholds


def subject(release: Release, *, platform: Platform) -> Subject:
    """Return the thresholds that a platform's people may change through its API: its own, or those that it
    shares with nobody. Raises NoOwnThresholds.
    """
    if platform.slug in release.platforms:
        return traffic.subject(release, slug=platform.slug)
    if proposal_pages.has_others(platform):
        raise thresholds.NoOwnThresholds(_("This platform has no thresholds of its own."))
    return traffic.subject(release)


def propose(
    *,
    about: Subject,
    wanted: Thresholds,
    days: int,
    costs: Costs,
    reason: str,
    actor: User,
    at: datetime,
) -> ReleaseProposal:
    """Propose thresholds with their simulation. Raises NotAllowed, Unchanged or AlreadyProposed."""
    proposals.check_role(actor)
    candidate = thresholds.derive(about.release, thresholds=wanted, platform=about.slug)
    return proposals.propose(
        kind=ProposalKind.THRESHOLDS,
        candidate=candidate.id,
        changes={
            "platform": about.slug,
            "from": thresholds.values(about.thresholds),
            "to": thresholds.values(wanted),
        },
        evidence=_evidence(about, wanted=wanted, days=days, costs=costs, at=at),
        reason=reason,
        actor=actor,
        at=at,
    )


def _evidence(about: Subject, *, wanted: Thresholds, days: int, costs: Costs, at: datetime) -> dict[str, Any]:
    labels, counted = simulation.sample(about, days=days, at=at), traffic.traffic(about, at=at)
    basis = Basis(labels=labels, counted=counted, seconds=pace.case_time(at=at).seconds, costs=costs)
    now, then = (simulation.point(one, basis=basis) for one in (about.thresholds, wanted))
    return {
        "days": days,
        "labels": len(labels),
        "now": _figures(now),
        "then": _figures(then),
    }


def _figures(one: Point) -> dict[str, Any]:
    return {"precision": asdict(one.precision), "cases_per_day": one.cases_per_day}
