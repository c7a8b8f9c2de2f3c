"""Write the training texts for pages, pictures and captions: simulated, with their truth."""

import dataclasses
import json
import random
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from moderation.evidence import page
from scoring.evidence import MOST_CHARACTERS, MOST_TITLE, PageRead
from scoring.readings import page_text
from simulation import hosts
from simulation.web import families, pages, pictures, speech, wording
from simulation.web.families import Family
from simulation.web.pictures import Alteration, Show

_POSTERS, _VIDEOS = 4, 2
"""Of each family, beside its pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worded:
    """A text as the record of a post would hold it; `shown` says on what, `family` who worded it."""

    text: str
    is_spam: bool
    kind: str
    family: str
    shown: str


_PAGES_EACH = 20
"""Of each family."""


class Command(BaseCommand):
    """Write the texts; uses no database."""

    help = (
        "Write texts of simulated pages, posters and captions with their truth as JSON lines, for "
        "`python -m training evidence --pages`. They are worded by the families that simulated posts "
        "lead to and by more that none leads to, never by those that are held out."
    )
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare which seed and where to write."""
        parser.add_argument("--seed", type=int, default=7, help="the same seed writes the same file")
        parser.add_argument("--out", type=Path, required=True, help="the .jsonl file to write")

    def handle(self, *_: Any, seed: int, out: Path, **__: Any) -> None:
        """Write the file and say what it holds."""
        out.parent.mkdir(parents=True, exist_ok=True)
        count, names = 0, set()
        with out.open("w", encoding="utf-8") as file:
            for text in texts(pages_each=_PAGES_EACH, seed=seed):
                file.write(json.dumps(dataclasses.asdict(text), ensure_ascii=False) + "\n")
                count += 1
                names.add(text.family)
        self.stdout.write(f"{count} simulated texts of {len(names)} families in {out}.")


def texts(*, pages_each: int, seed: int) -> Iterator[Worded]:
    """Yield texts of every family that is not held out: none of a post's world.

    Pages are read as they would be when collected. A site's name says nothing of the truth, since a
    simulation has few names.
    """
    shown = (family for family in families.families().values() if not family.is_held_out)
    for family in (*shown, *families.to_learn().values()):
        rng = random.Random(f"learning {seed} {family.name}")
        samples = [("page", _page(family, rng=rng)) for _ in range(pages_each)]
        samples += [("picture", "\n".join(pictures.poster(family, rng=rng))) for _ in range(_POSTERS)]
        samples += [("captions", speech.spoken(family, rng=rng)[0][:MOST_CHARACTERS]) for _ in range(_VIDEOS)]
        for kind, text in samples:
            yield Worded(
                text=text, is_spam=family.is_hostile, kind=family.kind, family=family.name, shown=kind
            )
    yield from _posts()


def _page(family: Family, *, rng: random.Random) -> str:
    """Return what is read of a page in English."""
    host = hosts.small_site(rng=rng)
    words = wording.english(family, site=wording.site_name(host), rng=rng)
    body = pages.body_of(family, said=words, host=host, rng=rng)
    html = f"<!doctype html><html><head><title>{escape(words.title)}</title></head><body>{body}</body></html>"
    facts = page.read(html.encode(), {"url": f"https://{host}/"})
    return page_text(
        PageRead(
            title=facts.title[:MOST_TITLE],
            article=facts.article[:MOST_CHARACTERS],
            text=facts.text[:MOST_CHARACTERS],
        )
    )


def _posts() -> Iterator[Worded]:
    """Yield posts that stand in pictures, as they are drawn."""
    for image in pictures.pool().values():
        if (image.show, image.alteration, image.is_held_out) == (Show.WORDS, Alteration.NONE, False):
            text = "\n".join(pictures.lines(image))
            yield Worded(
                text=text, is_spam=image.is_hostile, kind=image.family, family=image.family, shown="picture"
            )
