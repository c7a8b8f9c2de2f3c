"""Proposals of releases as pages and the API show them."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet

from moderation.models import ReleaseProposal

_LATEST = 10


def all_of(*, kind: str) -> QuerySet[ReleaseProposal]:
    """Return the proposals of a kind with their people, the newest first."""
    people = ReleaseProposal.objects.select_related("made_by", "confirmed_by", "refused_by", "promotion")
    return people.filter(kind=kind).order_by("-id")


def open_ones(*, kind: str, at: datetime) -> list[ReleaseProposal]:
    """Return those that wait for a second person."""
    return list(all_of(kind=kind).filter(closed_at__isnull=True, expires_at__gt=at))


def latest_answered(*, kind: str, at: datetime) -> list[ReleaseProposal]:
    """Return the latest that were confirmed, refused or ran out."""
    return list(all_of(kind=kind).exclude(closed_at__isnull=True, expires_at__gt=at)[:_LATEST])
