"""HTML of pages: ways of building one, used by honest and hostile sites alike (`material/layouts.toml`)."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from simulation import material
from simulation.web.wording import Said

Layout = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dressed:
    """A page's words with what surrounds them. `extra` is HTML: forms and downloads."""

    said: Said
    site: str
    navigation: Sequence[str]
    cookies: str
    footer: str
    extra: str


def choose(rng: random.Random) -> Layout:
    """Return one of the layouts."""
    return rng.choice(list(material.table("layouts")["layouts"].values()))


def built(page: Dressed, *, layout: Layout) -> str:
    """Return the HTML of a page."""
    entry = layout.get("entry", "{name}")
    return layout["page"].format(
        site=escape(page.site),
        title=escape(page.said.title),
        cookies=escape(page.cookies),
        footer=escape(page.footer),
        extra=page.extra,
        entries=layout.get("between", "").join(
            entry.format(name=escape(name), path=escape(name.lower())) for name in page.navigation
        ),
        blocks="".join(_block(text, layout=layout) for text in page.said.paragraphs),
        buttons="".join(f'<a class="button" href="#go">{escape(call)}</a>' for call in page.said.calls),
    )


def _block(text: str, *, layout: Layout) -> str:
    head, start = text.split(". ", maxsplit=1)[0][:60], " ".join(text.split()[:4])
    return layout["block"].format(text=escape(text), head=escape(head), start=escape(start))
