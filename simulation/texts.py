"""Texts for posts: curated ones by families, or rows of a JSON lines file."""

import dataclasses
import functools
import itertools
import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from importlib import resources
from pathlib import Path
from typing import Protocol

from scoring.links import links_in
from scoring.splits import Split, split_of
from simulation import material

_WRITTEN = re.compile(r"[!-~]+")
_PUNCTUATION = ".,;:!?)"


class Families(StrEnum):
    """Which families of curated texts a world shows: those that models learn from, or those kept back."""

    TRAIN = "train"
    KEPT_OUT = "kept-out"


class Part(Enum):
    """Which of the texts of families: all, those that the month of the demonstration shows, or the others."""

    ALL = (0, 1, 2)
    MONTH = (0, 1)
    AFTERWARDS = (2,)

    def holds(self, number: int) -> bool:
        """Tell whether a text is in this part, by its number in the file."""
        return number % 3 in self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A family of posts. `complaints` is their rate relative to other kinds.

    `traits` are the lists of material/families.toml that name it.
    """

    name: str
    is_spam: bool
    complaints: float
    reasons: tuple[str, ...]
    traits: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text with its truth; `group` is set when the source itself knows near-duplicates.

    One that `is_passed_on` was copied, not typed. One that `is_hard` cannot be judged by its words alone.
    """

    text: str
    kind: Kind
    language: str
    group: str | None = None
    is_passed_on: bool = False
    is_hard: bool = False

    @property
    def urls(self) -> tuple[str, ...]:
        """Return the links that stand in the text."""
        return links(self.text)


class TextSource(Protocol):
    """Where the world takes its texts from. Only curated ones can start what several accounts post."""

    def take(self, *, rng: random.Random, is_spam: bool) -> Text:
        """Return the next text; a source with truths of its own may not heed `is_spam`."""

    def shared(self, *, rng: random.Random, is_spam: bool) -> Text | None:
        """Return a text for a campaign or honest people to repeat, None without one."""

    def reworded(self, text: Text, *, rng: random.Random) -> Text:
        """Return another text that says what this one says."""


@functools.lru_cache(maxsize=8192)
def links(text: str) -> tuple[str, ...]:
    """Return the links of a text."""
    return tuple(link.url for link in links_in(text))


@functools.cache
def curated(families: Families) -> tuple[Text, ...]:
    """Return the curated texts of some families, in the order of their file."""
    with resources.files("training").joinpath("curated_posts.jsonl").open(encoding="utf-8") as lines:
        return tuple(
            Text(
                text=row["text"],
                kind=_kind(row["group"], is_spam=row["label"] == 1, intent=row["meta"]["intent"]),
                language=row["lang"],
                is_hard=row["meta"]["judged"] == "context",
            )
            # One by one: of the whole file a process would keep ten times the memory of what it needs.
            for row in map(json.loads, lines)
            if (split_of(row["group"]) == Split.TRAIN) == (families == Families.TRAIN)
        )


@functools.cache
def named_hosts() -> frozenset[str]:
    """Return the hosts that the texts of demonstrations name, which are not to be called for them."""
    return frozenset(link.host for text in curated(Families.KEPT_OUT) for link in links_in(text.text))


@functools.cache
def _kind(name: str, *, is_spam: bool, intent: str) -> Kind:
    table = material.table("families")
    complaints, *reasons = table["complaints"][intent]
    traits = {trait for trait, names in table.items() if isinstance(names, list) and name in names}
    return Kind(
        name=name,
        is_spam=is_spam,
        complaints=complaints,
        reasons=tuple(reasons),
        traits=frozenset(traits),
    )


class CuratedTexts:
    """Curated texts, shuffled; none of a class twice before all. Without `has_links`, those without one.

    Worlds that are shown after one another take different `part`s, so that none repeats the other's.
    """

    def __init__(
        self, families: Families = Families.KEPT_OUT, *, has_links: bool = True, part: Part = Part.ALL
    ) -> None:
        self.families = families
        self._all = {
            is_spam: [
                text
                for number, text in enumerate(curated(families))
                if part.holds(number) and text.kind.is_spam == is_spam and (has_links or not text.urls)
            ]
            for is_spam in (True, False)
        }
        self._left: dict[bool, list[Text]] = {True: [], False: []}
        self._of_family: dict[tuple[Kind, str], list[Text]] = defaultdict(list)
        for text in itertools.chain.from_iterable(self._all.values()):
            self._of_family[text.kind, text.language].append(text)

    def take(
        self, *, rng: random.Random, is_spam: bool, among: Callable[[Text], bool] = lambda _: True
    ) -> Text:
        """Return the next text, one `among` some. Raises LookupError if there is none at all."""
        rest = self._left[is_spam]
        if not any(map(among, rest)):
            fresh = [text for text in self._all[is_spam] if among(text)]
            rest += rng.sample(fresh, k=len(fresh))
        place = next((place for place, text in enumerate(rest) if among(text)), len(rest))
        return rest.pop(place)

    def shared(self, *, rng: random.Random, is_spam: bool) -> Text:
        """Return any spam, or an honest text of a family that people pass on."""
        return self.take(
            rng=rng, is_spam=is_spam, among=lambda text: is_spam or "passed_on" in text.kind.traits
        )

    def reworded(self, text: Text, *, rng: random.Random) -> Text:
        """Return a text of the same family and language, with a link if this one has one; itself if none."""
        alike = [
            other
            for other in self._of_family.get((text.kind, text.language), [])
            if bool(other.urls) == bool(text.urls)
        ]
        return rng.choice(alike or [text])


class FileTexts:
    """Texts and truths from rows `{"text", "label", "lang"?, "group"?}`, shuffled; none twice before all."""

    def __init__(self, rows: Sequence[Mapping[str, object]]) -> None:
        self._rows = rows
        self._order: list[int] = []

    @classmethod
    def load(cls, path: Path) -> "FileTexts":
        """Read a JSON lines file. Raises KeyError or ValueError for a row without text or label."""
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        if not rows or any(not isinstance(row["text"], str) or row["label"] not in (0, 1) for row in rows):
            raise ValueError(f"{path}: every row needs a text and a label of 0 or 1")
        return cls(rows)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def take(self, *, rng: random.Random, is_spam: bool) -> Text:
        """Return the next row."""
        if not self._order:
            self._order = rng.sample(range(len(self._rows)), k=len(self._rows))
        row = self._rows[self._order.pop()]
        kind = Kind(
            name="file_spam" if row["label"] else "file_talk",
            is_spam=bool(row["label"]),
            complaints=1.0,
            reasons=("spam", "scam") if row["label"] else ("other", "spam"),
            traits=frozenset({"brigaded"}),
        )
        group = row.get("group")
        language = str(row.get("lang") or "")
        return Text(text=str(row["text"]), kind=kind, language=language, group=str(group) if group else None)

    def shared(self, *, rng: random.Random, is_spam: bool) -> None:
        """Return None: a file knows itself what is posted again."""
        return

    def reworded(self, text: Text, *, rng: random.Random) -> Text:
        """Return the text itself."""
        return text


def relinked(text: Text, *, url: str) -> Text:
    """Return the text with another link in place of each of its own."""

    def written(match: re.Match[str]) -> str:
        own = match[0].rstrip(_PUNCTUATION)
        return url + match[0][len(own) :] if links(own) else match[0]

    return dataclasses.replace(text, text=_WRITTEN.sub(written, text.text))
