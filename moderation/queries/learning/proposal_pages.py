"""Proposals of releases as pages and the API show them."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from moderation.models import Platform, ReleaseProposal, TrainingRun
from moderation.models.learning import ProposalKind

_LATEST = 10


def all_of(*, kind: str) -> QuerySet[ReleaseProposal]:
    """Return the proposals of a kind with their people, the newest first."""
    people = ReleaseProposal.objects.select_related(
        "made_by", "confirming_by", "confirmed_by", "refused_by", "promotion"
    )
    return people.filter(kind=kind).order_by("-id")


def open_ones(*, kind: str, at: datetime) -> list[ReleaseProposal]:
    """Return those that wait for a second person."""
    return list(all_of(kind=kind).filter(closed_at__isnull=True, expires_at__gt=at))


def latest_answered(*, kind: str, at: datetime) -> list[ReleaseProposal]:
    """Return the latest that were confirmed, refused or ran out."""
    return list(all_of(kind=kind).exclude(closed_at__isnull=True, expires_at__gt=at)[:_LATEST])


def of_platform(platform: Platform) -> QuerySet[ReleaseProposal]:
    """Return the proposals that a platform may know: of its own thresholds, and of candidates that training
    on its decisions made; of shared thresholds only if nobody shares them.
    """
    slugs = [platform.slug] if has_others(platform) else [platform.slug, ""]
    runs = TrainingRun.objects.filter(platform=platform, candidate=OuterRef("candidate"))
    return ReleaseProposal.objects.filter(
        Q(kind=ProposalKind.THRESHOLDS, changes__platform__in=slugs)
        | Q(Exists(runs), kind=ProposalKind.PROMOTION)
    )


def has_others(platform: Platform) -> bool:
    """Tell whether the installation has another platform, so that shared thresholds concern others, too."""
    return Platform.objects.exclude(pk=platform.pk).exists()
