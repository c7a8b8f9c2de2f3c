"""What a platform may know of an author and of a domain: from its own posts alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from moderation.models import Author, Ban, Platform, Revision
from moderation.models.bans import BanKind
from moderation.queries import bans, blocklist, figures, timeline
from moderation.queries.figures import Figures
from moderation.queries.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnDomain:
    """A domain in a platform's posts, and the ban that is in force on it."""

    name: str
    figures: Figures
    ban: Ban | None


def of_author(*, platform: Platform, external_id: str) -> Timeline:
    """Return what happened around an author. Raises Author.DoesNotExist."""
    author = Author.objects.get(platform=platform, external_id=external_id)
    return timeline.of(Revision.objects.filter(post__author=author, number=F("post__latest_revision")))


def of_domain(*, platform: Platform, value: str, at: datetime) -> OwnDomain:
    """Count a domain's posts among a platform's; a host stands for its domain. Raises bans.NotBannable."""
    target = bans.target(kind=BanKind.DOMAIN, value=value)
    live = Ban.objects.filter(blocklist.live(at=at), kind=BanKind.DOMAIN, value=target.value)
    return OwnDomain(
        name=target.value,
        figures=figures.of(bans.reached(target).filter(post__platform=platform), at=at),
        ban=live.first(),
    )
