"""Labelled texts of a source that meets the product as a platform: read, checked, halved by group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from training import labelled_lines
from training.labelled_lines import LabelledLine, Malformed

_MOST_OF_GROUP = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A labelled text. Ids may occur twice in a file: its `line` names it."""

    line: int
    text: str
    language: str
    is_spam: bool
    group: str


def read(path: Path) -> list[Text]:
    """Read the texts of a file; those without a letter are left out, as no platform may send them.

    Raises Malformed, which names line and field, or OSError.
    """
    texts = [_text(line) for line in labelled_lines.lines(path)]
    return [text for text in texts if text.text.strip()]


def limited(texts: Sequence[Text], *, most: int) -> list[Text]:
    """Return groups drawn by chance, the same at every call, up to `most` texts or a little more.

    Of a group of near-duplicates 100 at most: the others say the same, and would fill a half alone.
    """
    by_group = _by_group(texts)
    names = sorted(by_group)
    np.random.default_rng(0).shuffle(names)
    sample: list[Text] = []
    for name in names:
        if len(sample) >= most:
            break
        sample.extend(by_group[name][:_MOST_OF_GROUP])
    return sample


def _by_group(texts: Iterable[Text]) -> dict[str, list[Text]]:
    groups = defaultdict(list)
    for text in texts:
        groups[text.group].append(text)
    return groups


def _text(line: LabelledLine) -> Text:
    label, group = _field(line, "label"), _field(line, "group")
    if isinstance(label, bool) or label not in (0, 1):
        raise Malformed(f"{line.where}: label: expected 0 or 1, got {label!r}")
    if isinstance(group, bool) or not isinstance(group, str | int) or group == "":
        raise Malformed(f"{line.where}: group: expected a name, got {group!r}")
    return Text(
        line=line.number,
        text=_string(line, "text", _field(line, "text")),
        language=_string(line, "lang", line.stored.get("lang") or ""),
        is_spam=label == 1,
        group=str(group),
    )


def _field(line: LabelledLine, name: str) -> Any:
    if name not in line.stored:
        raise Malformed(f"{line.where}: {name}: missing")
    return line.stored[name]


def _string(line: LabelledLine, name: str, given: Any) -> str:
    if not isinstance(given, str):
        raise Malformed(f"{line.where}: {name}: expected text, got {given!r}")
    return given
