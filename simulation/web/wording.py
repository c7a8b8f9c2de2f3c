"""What a page, a poster or a speaker says: templates of a family, filled in by chance."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from simulation import hosts, material
from simulation.texts import Families, curated
from simulation.web import families
from simulation.web.families import Family

_FEWEST, _MOST = 3, 5
_ALTERNATIVES = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(int:\d+-\d+|[a-z_][a-z_0-9]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What is said: a title, paragraphs in the order of the page, the words of its buttons."""

    title: str
    paragraphs: tuple[str, ...]
    calls: tuple[str, ...]


def english(family: Family, *, site: str, rng: random.Random) -> Said:
    """Return what an English page of a family says."""

    def filled(template: str) -> str:
        return phrase(template, slots=family, site=site, rng=rng)

    paragraphs = rng.sample(family.paragraphs, k=min(rng.randint(_FEWEST, _MOST), len(family.paragraphs)))
    return Said(
        title=filled(rng.choice(family.titles)),
        paragraphs=tuple(filled(paragraph) for paragraph in paragraphs),
        calls=tuple(filled(call) for call in rng.sample(family.calls, k=rng.randint(1, 2))),
    )


def said(family: Family, *, post_kind: str, language: str, site: str, rng: random.Random) -> Said:
    """Return what a page says in the language of the post, if posts of this kind are worded in it.

    Pages are written in English only; in another language a page says what posts of its kind say.
    """
    spoken = english(family, site=site, rng=rng)
    texts = [
        text.text
        for families in Families
        for text in curated(families)
        if (text.kind.name, text.language) == (post_kind, language)
    ]
    if language in ("", "en") or not texts:
        return spoken
    paragraphs = tuple(rng.sample(texts, k=min(len(texts), _MOST)))
    return Said(title=paragraphs[0][:70], paragraphs=paragraphs, calls=spoken.calls)


def site_name(host: str) -> str:
    """Return what a site calls itself: its host without what all hosts have, in capitals."""
    labels = [label for label in host.split(".")[:-1] if label not in ("www", "m", "secure")]
    return " ".join(part.capitalize() for part in (labels or [host])[-1].split("-"))[:40]


def owner(family: Family) -> str:
    """Return who signs a family's posters and videos: a name that does not tell which side it is on."""
    return site_name(hosts.small_site(rng=random.Random(f"owner {family.name}")))


def furniture(name: str, *, site: str, rng: random.Random) -> str:
    """Return words that honest and hostile sites share: a cookie banner, a footer."""
    return phrase(rng.choice(material.table("web")["furniture"][name]), slots=None, site=site, rng=rng)


def words(name: str) -> Sequence[str]:
    """Return a list of single words of that furniture."""
    return tuple(material.table("web")["furniture"][name])


def phrase(template: str, *, slots: Family | None, site: str, rng: random.Random) -> str:
    """Return a template filled in; raises KeyError for a slot that no list defines.

    `{slot}` picks from a list, whose entries may hold slots again, `{int:a-b}` a whole number, and
    `[one|other]` one of the alternatives.
    """
    lists = slots.slots if slots else families.everyday_slots()

    def filled(match: re.Match[str]) -> str:
        name = match[1]
        if name.startswith("int:"):
            return str(rng.randint(*map(int, name[4:].split("-"))))
        return site if name == "site" else phrase(rng.choice(lists[name]), slots=slots, site=site, rng=rng)

    while _ALTERNATIVES.search(template):
        template = _ALTERNATIVES.sub(lambda match: rng.choice(match[1].split("|")), template)
    return re.sub(r" {2,}", " ", _SLOT.sub(filled, template)).strip(" ")
