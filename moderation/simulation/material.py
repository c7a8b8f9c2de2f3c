"""The material of the simulated world, read from the TOML files beside this module."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of post: how common it is, how much readers complain, which hosts it links to.

    `passed_on` is its weight among the near-duplicates of honest people; `is_hard` says that moderators err.
    """

    name: str
    is_spam: bool
    weight: float
    complaints: float
    reasons: tuple[str, ...]
    words: tuple[str, ...]
    is_hard: bool = False
    passed_on: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How one language words one kind."""

    templates: tuple[str, ...]
    slots: Mapping[str, tuple[str, ...]]


@functools.cache
def kinds() -> Mapping[str, Kind]:
    """Return every kind by name."""
    return {
        name: Kind(
            name=name,
            is_spam=row["is_spam"],
            weight=row["weight"],
            complaints=row["complaints"],
            reasons=tuple(row["reasons"]),
            words=tuple(row["words"]),
            is_hard=row.get("is_hard", False),
            passed_on=row.get("passed_on", 0.0),
        )
        for name, row in table("kinds").items()
    }


@functools.cache
def wordings() -> Mapping[str, Mapping[str, Wording]]:
    """Return language → kind → wording; a kind's slots stand over the language's own."""
    files = [
        table(f"texts/{path.name[:-5]}") for path in sorted(_folder("texts"), key=lambda path: path.name)
    ]
    slots: dict[str, dict[str, list[str]]] = {}
    for file in files:
        slots.setdefault(file["language"], {}).update(file["slots"])
    worded: dict[str, dict[str, Wording]] = {language: {} for language in slots}
    for file in files:
        for name in file.keys() - {"language", "slots"}:
            worded[file["language"]][name] = _wording(file[name], slots=slots[file["language"]])
    return {language: dict(sorted(kinds.items())) for language, kinds in sorted(worded.items())}


@functools.cache
def table(name: str) -> dict[str, Any]:
    """Return one material file, e.g. `hosts`, as read."""
    return tomllib.loads(
        resources.files(__package__).joinpath(f"material/{name}.toml").read_text(encoding="utf-8")
    )


def _folder(name: str) -> list[Any]:
    return list(resources.files(__package__).joinpath(f"material/{name}").iterdir())


def _wording(row: dict[str, Any], *, slots: dict[str, list[str]]) -> Wording:
    both = {**slots, **row.get("slots", {})}
    return Wording(
        templates=tuple(row["templates"]), slots={name: tuple(options) for name, options in both.items()}
    )
