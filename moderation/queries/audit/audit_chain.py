"""The audit log along its chain of hashes, for those who keep a copy; a platform reads its own acts.

A key belongs to one platform. While others use the installation, their acts and those of the whole
installation are links without an entry: number and hash keep the chain whole, nothing says what was done.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Model

from moderation.models import (
    ApiKey,
    AuditEntry,
    AuditLink,
    Author,
    Case,
    Decision,
    Delivery,
    Export,
    GoldenItem,
    LabelDraw,
    Platform,
    Post,
    TrainingRun,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link of the chain with its entry, None where it is not for this reader."""

    link: AuditLink
    entry: AuditEntry | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainPage:
    """Links in the order of the chain; `end` is the number of the last one, or where the page began."""

    links: tuple[Link, ...]
    end: int
    has_more: bool


_PLATFORM_OF: dict[str, tuple[type[Model], str]] = {
    "api_key": (ApiKey, "platform"),
    "author": (Author, "platform"),
    "case": (Case, "post__platform"),
    "decision": (Decision, "post__platform"),
    "delivery": (Delivery, "platform"),
    "draw": (LabelDraw, "platform"),
    "export": (Export, "platform"),
    "golden_item": (GoldenItem, "platform"),
    "platform": (Platform, "pk"),
    "post": (Post, "platform"),
    "training_run": (TrainingRun, "platform"),
}
"""By the kind of an entry's subject: its rows, and how they lead to the platform."""


def page(*, platform: Platform, after: int, limit: int) -> ChainPage:
    """Return the links after a number, as a platform's key may read them."""
    rows = list(AuditLink.objects.filter(number__gt=after).order_by("number")[: limit + 1])
    links = rows[:limit]
    entries = AuditEntry.objects.select_related("actor").in_bulk([link.entry_id for link in links])
    own = _own(list(entries.values()), platform=platform)
    return ChainPage(
        links=tuple(
            Link(link=link, entry=entries[link.entry_id] if link.entry_id in own else None) for link in links
        ),
        end=links[-1].number if links else after,
        has_more=len(rows) > limit,
    )


def _own(entries: Sequence[AuditEntry], *, platform: Platform) -> set[int]:
    """Return the entries that a platform may read, by id: all of them if nobody shares the installation."""
    if not Platform.objects.exclude(pk=platform.pk).exists():
        return {entry.pk for entry in entries}
    subjects: defaultdict[str, set[str]] = defaultdict(set)
    for entry in entries:
        if entry.subject_kind in _PLATFORM_OF:
            subjects[entry.subject_kind].add(entry.subject_id)
    theirs = {kind: _of_platform(kind, ids, platform=platform) for kind, ids in subjects.items()}
    return {
        entry.pk
        for entry in entries
        if entry.details.get("platform") == platform.pk
        or entry.subject_id in theirs.get(entry.subject_kind, set())
    }


def _of_platform(kind: str, ids: set[str], *, platform: Platform) -> set[str]:
    model, way = _PLATFORM_OF[kind]
    rows = model._default_manager.filter(pk__in=ids, **{way: platform.pk})  # noqa: SLF001 - documented
    return {str(pk) for pk in rows.values_list("pk", flat=True)}
