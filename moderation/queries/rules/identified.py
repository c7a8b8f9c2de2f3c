"""Posts whose texts name something, for trying a rule before it is made.

No index knows what a text names, and the same disguises must be seen through as in scoring: the texts of a
bounded number of posts are read.
"""

from __future__ import annotations

from django.db.models import F, Q
from django.db.models.functions import Left

from moderation.models import Domain, Label, Post, PostLink, Revision
from moderation.models.rules import RuleKind
from scoring import identifiers

JUDGED, NEWEST = 2_000, 2_000
"""Posts that are read: those that people judged last, and those that came last."""

_DOMAINS = 50_000
_CHUNK = 500


def revisions(*, kind: str, value: str) -> list[int]:
    """Return the latest revisions that name a rule's value, of the posts that are read."""
    if kind == RuleKind.LOOKALIKE:
        return _linking_to(_domains_like(value))
    judged = Label.objects.filter(retracted_at__isnull=True).order_by("-pk").values("post")[:JUDGED]
    newest = Post.objects.order_by("-pk").values("pk")[:NEWEST]
    # No index can answer it: texts are read through their disguises in Python. So the newest and the judged
    # ones only.
    latest = Revision.objects.filter(
        Q(post__in=judged) | Q(post__in=newest), number=F("post__latest_revision"), post__erased_at=None
    )
    rows = latest.order_by("pk").values_list("pk", Left("text", identifiers.READ_CHARACTERS), "links")
    return [
        pk
        for pk, text, links in rows.iterator(chunk_size=_CHUNK)
        if identifiers.read(text, urls=map(str, links), domains=(), kinds=(kind,)).holds(kind, value)
    ]


def _domains_like(value: str) -> list[int]:
    known = Domain.objects.order_by("-pk").values_list("pk", "name")[:_DOMAINS].iterator(chunk_size=_CHUNK)
    return [
        pk
        for pk, name in known
        if identifiers.read("", urls=(), domains=(name,), kinds=(RuleKind.LOOKALIKE,)).holds(
            RuleKind.LOOKALIKE, value
        )
    ]


def _linking_to(domain_ids: list[int]) -> list[int]:
    links = PostLink.objects.filter(domain__in=domain_ids).order_by("-pk")
    return list(links.values_list("revision", flat=True)[: JUDGED + NEWEST])
