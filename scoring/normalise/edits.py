"""A normalised text with a mapping to the raw one, and the edits that each step consists of."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Normalised:
    """What the content model reads. Its character i stands for the raw characters [starts[i], ends[i])."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    @classmethod
    def of(cls, raw: str) -> "Normalised":
        """Start with the raw text, each character mapped to itself."""
        return cls(text=raw, starts=tuple(range(len(raw))), ends=tuple(range(1, len(raw) + 1)))

    def raw_range(self, start: int, end: int) -> tuple[int, int]:
        """Return the raw range of the characters [start, end), at least one."""
        return self.starts[start], self.ends[end - 1]


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters [start, end) by `text`, which may be empty."""

    start: int
    end: int
    text: str


def applied(edits: Iterable[Edit], *, to: Normalised) -> Normalised:
    """Carry out edits that are in order and do not overlap; what replaces a range stands for all of it."""
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    place = 0
    for edit in edits:
        texts += (to.text[place : edit.start], edit.text)
        starts += to.starts[place : edit.start]
        ends += to.ends[place : edit.start]
        starts += [to.starts[edit.start]] * len(edit.text)
        ends += [to.ends[edit.end - 1]] * len(edit.text)
        place = edit.end
    if not texts:
        return to
    return Normalised(
        text="".join((*texts, to.text[place:])),
        starts=(*starts, *to.starts[place:]),
        ends=(*ends, *to.ends[place:]),
    )
