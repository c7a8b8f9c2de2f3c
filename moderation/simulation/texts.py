"""Texts for posts: compositions of the material, or rows of a JSON lines file."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from moderation.simulation import hosts, lures, material
from moderation.simulation.grammar import Choices, expand
from moderation.simulation.lures import Lure
from moderation.simulation.material import Kind, Wording

LANGUAGE_WEIGHTS = {
    "en": 60, "es": 9, "de": 8, "fr": 6, "pt": 6, "ru": 4, "ar": 3, "hi": 2, "ja": 2,
}  # fmt: skip

_SPAM_DRESSED_AS_TALK_SHARE = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text with its truth; `group` is set when the source itself knows near-duplicates.

    A text that `is_passed_on` was copied, not typed: it stays as it is. `lure` is how spam leads on.
    """

    text: str
    kind: Kind
    language: str
    urls: tuple[str, ...] = ()
    group: str | None = None
    is_passed_on: bool = False
    lure: Lure = Lure.LINK


@dataclass(slots=True, kw_only=True)
class Template:
    """What the posts of one campaign have in common: wording, choices made, where it leads."""

    kind: Kind
    language: str
    wording: Wording
    template: str
    fixed: dict[str, str] = field(default_factory=dict)
    hosts: list[str] = field(default_factory=list)
    lure: Lure = Lure.LINK


class TextSource(Protocol):
    """Where the world takes its texts from. Only a composing source can write the variants of a campaign."""

    def take(self, *, rng: random.Random, is_spam: bool) -> Text:
        """Return the next text; a source with truths of its own may not heed `is_spam`."""
        ...

    def template(self, *, rng: random.Random, is_spam: bool) -> Template | None:
        """Return the start of a campaign, None where the source cannot write variants."""
        ...

    def passed_on(self, *, rng: random.Random) -> Template | None:
        """Return what honest people are about to pass on to each other, None likewise."""
        ...


class ComposedTexts:
    """Texts composed from the material; without links for a platform whose posts have none."""

    def __init__(self, *, has_links: bool = True) -> None:
        self._has_links = has_links

    def take(self, *, rng: random.Random, is_spam: bool) -> Text:
        """Return a text of a random kind and language."""
        text = variant(self.template(rng=rng, is_spam=is_spam), rng=rng)
        if is_spam and self._has_links and rng.random() < _SPAM_DRESSED_AS_TALK_SHARE:
            return _dressed_as_talk(text, rng=rng)
        return text

    def template(self, *, rng: random.Random, is_spam: bool) -> Template:
        """Return a fresh template of a random kind and language."""
        language = _language(rng)
        kinds = [kind for kind in self._worded(language) if kind.is_spam == is_spam]
        kind = rng.choices(kinds, weights=[kind.weight for kind in kinds])[0]
        return self._template(kind, language=language, rng=rng)

    def passed_on(self, *, rng: random.Random) -> Template:
        """Return what honest people pass on: a headline, an appeal, a chain letter, the post of an app."""
        language = _language(rng)
        kinds = [kind for kind in self._worded(language) if kind.passed_on]
        kind = rng.choices(kinds, weights=[kind.passed_on for kind in kinds])[0]
        return self._template(kind, language=language, rng=rng)

    def _worded(self, language: str) -> list[Kind]:
        worded = material.wordings()[language]
        return [
            kind
            for kind in material.kinds().values()
            if kind.name in worded and (kind.is_spam or self._templates(worded[kind.name]))
        ]

    def _templates(self, wording: Wording) -> list[str]:
        return [text for text in wording.templates if self._has_links or "{link}" not in text]

    def _template(self, kind: Kind, *, language: str, rng: random.Random) -> Template:
        wording = material.wordings()[language][kind.name]
        return Template(
            kind=kind,
            language=language,
            wording=wording,
            template=rng.choice(wording.templates if kind.is_spam else self._templates(wording)),
            lure=lures.choose(rng=rng, has_links=self._has_links) if kind.is_spam else Lure.LINK,
        )


def _language(rng: random.Random) -> str:
    return rng.choices(list(LANGUAGE_WEIGHTS), weights=list(LANGUAGE_WEIGHTS.values()))[0]


class FileTexts:
    """Texts and truths from rows `{"text", "label", "lang"?, "group"?}`, shuffled; none twice before all."""

    def __init__(self, rows: Sequence[dict[str, object]]) -> None:
        self._rows = rows
        self._order: list[int] = []

    @classmethod
    def load(cls, path: Path) -> FileTexts:
        """Read a JSON lines file. Raises KeyError or ValueError for a row without text or label."""
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        if not rows or any(not isinstance(row["text"], str) or row["label"] not in (0, 1) for row in rows):
            raise ValueError(f"{path}: every row needs a text and a label of 0 or 1")
        return cls(rows)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def take(self, *, rng: random.Random, is_spam: bool) -> Text:  # noqa: ARG002 - the file's own truth counts
        """Return the next row."""
        if not self._order:
            self._order = rng.sample(range(len(self._rows)), k=len(self._rows))
        row = self._rows[self._order.pop()]
        kind = Kind(
            name="file_spam" if row["label"] else "file_talk",
            is_spam=bool(row["label"]),
            weight=1.0,
            complaints=1.0 if row["label"] else 0.05,
            reasons=("spam", "scam") if row["label"] else ("other", "spam"),
            words=(),
        )
        group = row.get("group")
        language = str(row.get("lang") or "")
        return Text(text=str(row["text"]), kind=kind, language=language, group=str(group) if group else None)

    def template(self, *, rng: random.Random, is_spam: bool) -> None:  # noqa: ARG002
        """Return None: a file has no variants."""
        return

    def passed_on(self, *, rng: random.Random) -> None:  # noqa: ARG002
        """Return None likewise."""
        return


def variant(template: Template, *, rng: random.Random) -> Text:
    """Return one text of the campaign; the first call makes the choices that later calls repeat."""
    urls: list[str] = []

    def link(place: str) -> str:
        if template.lure != Lure.LINK:
            return template.fixed.setdefault(f"{place}lure", _lure(template, rng=rng))
        urls.append(_url(template, rng=rng))
        return urls[-1]

    text = expand(
        template.template,
        slots=template.wording.slots,
        choices=Choices(rng=rng, fixed=template.fixed),
        fill={"link": link, "spam_quote": lambda _place: _quoted_spam(rng)},
    )
    return Text(
        text=text, kind=template.kind, language=template.language, urls=tuple(urls), lure=template.lure
    )


def reworded(template: Template, *, rng: random.Random) -> Template:
    """Return another template of the same kind that leads to the same place, as if written anew each time."""
    return dataclasses.replace(template, template=rng.choice(template.wording.templates), fixed={})


def _lure(template: Template, *, rng: random.Random) -> str:
    return lures.words(template.lure, kind=template.kind, language=template.language, rng=rng)


def _url(template: Template, *, rng: random.Random) -> str:
    kind = template.kind
    if not template.hosts or rng.random() < 0.12:
        make = hosts.spam_host if kind.is_spam else hosts.talk_host
        template.hosts.append(make(kind, rng=rng))
    return hosts.url_on(rng.choice(template.hosts), is_spam=kind.is_spam, rng=rng)


def _quoted_spam(rng: random.Random) -> str:
    return ComposedTexts().take(rng=rng, is_spam=True).text[:160]


def _dressed_as_talk(spam: Text, *, rng: random.Random) -> Text:
    """Return harmless words with a spam link, so that the words alone say nothing."""
    talk = ComposedTexts().take(rng=rng, is_spam=False)
    url = (
        spam.urls[0]
        if spam.urls
        else hosts.url_on(hosts.spam_host(spam.kind, rng=rng), is_spam=True, rng=rng)
    )
    return Text(text=f"{talk.text} {url}", kind=spam.kind, language=talk.language, urls=(*talk.urls, url))
