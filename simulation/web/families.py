"""Families of wording: pages of one kind, written by one hand. Some are held out from what models learn."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from simulation import material

_HOSTILE, _HONEST = ("hostile_en", "hostile_more_en"), ("honest_en", "honest_more_en")
_LEARN_HOSTILE = ("learn_hostile_en", "learn_hostile_more_en", "learn_hostile_plain_en")
_LEARN_HONEST = ("learn_honest_en", "learn_honest_more_en", "learn_honest_media_en", "learn_honest_plain_en")


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A family of pages; `name` is "kind.family". Its texts are templates with `slots`."""

    name: str
    kind: str
    is_hostile: bool
    is_held_out: bool
    titles: tuple[str, ...]
    paragraphs: tuple[str, ...]
    calls: tuple[str, ...]
    slots: Mapping[str, Sequence[str]]


@functools.cache
def families() -> Mapping[str, Family]:
    """Return every family that a world shows, by name."""
    return _by_name(hostile=_HOSTILE, honest=_HONEST)


@functools.cache
def to_learn() -> Mapping[str, Family]:
    """Return families that no world shows, by name: more wordings for a reader of pages to learn from."""
    return _by_name(hostile=_LEARN_HOSTILE, honest=_LEARN_HONEST)


@functools.cache
def of_kind(kind: str, *, held_out: bool) -> tuple[Family, ...]:
    """Return the families of a kind of pages, those that are held out or the others."""
    return tuple(
        family for family in families().values() if family.kind == kind and family.is_held_out == held_out
    )


@functools.cache
def of_side(*, is_hostile: bool, held_out: bool) -> tuple[Family, ...]:
    """Return all hostile or all honest families, those that are held out or the others."""
    return tuple(
        family
        for family in families().values()
        if family.is_hostile == is_hostile and family.is_held_out == held_out
    )


@functools.cache
def page_kinds(post_kind: str) -> Sequence[str]:
    """Return the kinds of pages that posts of a kind lead to."""
    pages = material.table("families")["pages"]
    return tuple(kind for kind, posts in pages.items() if post_kind in posts)


def everyday_slots() -> Mapping[str, Sequence[str]]:
    """Return the slots that all English texts may use: names, towns, sums, telephone numbers."""
    return dict(material.table("web")["slots"])


def _by_name(*, hostile: Sequence[str], honest: Sequence[str]) -> Mapping[str, Family]:
    both = [*_of_files(hostile, side=_HOSTILE), *_of_files(honest, side=_HONEST)]
    return {family.name: family for family in both}


def _of_files(names: Sequence[str], *, side: Sequence[str]) -> Iterator[Family]:
    for name in names:
        table = dict(material.table(f"pages/{name}"))
        of_side = material.table(f"pages/{side[0]}")["slots"]
        slots = {**everyday_slots(), **of_side, **table.pop("slots", {})}
        for kind, rows in table.items():
            for own, row in rows.items():
                yield Family(
                    name=f"{kind}.{own}",
                    kind=kind,
                    is_hostile=side is _HOSTILE,
                    is_held_out=bool(row.get("held_out")),
                    titles=tuple(row["titles"]),
                    paragraphs=tuple(row["paragraphs"]),
                    calls=tuple(row["calls"]),
                    slots={**slots, **row.get("slots", {})},
                )
