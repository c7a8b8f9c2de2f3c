"""HTML of pages: six ways of building one, used by honest and hostile sites alike."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from simulation.web.wording import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Dressed:
    """A page's words with what surrounds them. `extra` is HTML: forms and downloads."""

    said: Said
    site: str
    navigation: Sequence[str]
    cookies: str
    footer: str
    extra: str


Layout = Callable[[Dressed], str]


def choose(rng: random.Random) -> Layout:
    """Return one of the layouts."""
    return rng.choice((_article, _cards, _table, _divisions, _single, _sections))


def _paragraphs(page: Dressed) -> str:
    return "".join(f"<p>{escape(paragraph)}</p>" for paragraph in page.said.paragraphs)


def _buttons(page: Dressed) -> str:
    return "".join(f'<a class="button" href="#go">{escape(call)}</a>' for call in page.said.calls)


def _list(names: Sequence[str]) -> str:
    return "".join(f'<li><a href="/{escape(name.lower())}">{escape(name)}</a></li>' for name in names)


def _article(page: Dressed) -> str:
    return (
        f"<header><b>{escape(page.site)}</b><nav><ul>{_list(page.navigation)}</ul></nav></header>"
        f"<main><article><h1>{escape(page.said.title)}</h1>{_paragraphs(page)}</article>{page.extra}"
        f"{_buttons(page)}</main><footer>{escape(page.footer)}</footer>"
        f"<div class=cookies>{escape(page.cookies)}</div>"
    )


def _cards(page: Dressed) -> str:
    cards = "".join(
        f'<div class="card"><h3>{escape(paragraph.split(". ")[0][:60])}</h3><p>{escape(paragraph)}</p></div>'
        for paragraph in page.said.paragraphs
    )
    return (
        f"<div class=bar>{escape(page.cookies)}</div>"
        f"<div class=hero><h1>{escape(page.said.title)}</h1>{_buttons(page)}</div>"
        f"<div class=grid>{cards}</div>{page.extra}<div class=foot>{escape(page.footer)}</div>"
    )


def _table(page: Dressed) -> str:
    rows = "".join(f"<tr><td>{escape(paragraph)}</td></tr>" for paragraph in page.said.paragraphs)
    side = "<br>".join(escape(entry) for entry in page.navigation)
    return (
        f"<table width=900><tr><td colspan=2><h2>{escape(page.said.title)}</h2></td></tr>"
        f"<tr><td>{side}</td><td><table>{rows}</table>{page.extra}{_buttons(page)}</td></tr></table><small>{escape(page.footer)}</small>"
    )


def _divisions(page: Dressed) -> str:
    blocks = "".join(f"<div><div><span>{escape(text)}</span></div></div>" for text in page.said.paragraphs)
    return (
        f"<div id=top>{escape(page.site)} {' | '.join(escape(entry) for entry in page.navigation)}</div>"
        f"<div id=c><div class=t>{escape(page.said.title)}</div>{blocks}{page.extra}{_buttons(page)}</div>"
        f"<div id=ck>{escape(page.cookies)}</div><div id=f>{escape(page.footer)}</div>"
    )


def _single(page: Dressed) -> str:
    return f"<main><h1>{escape(page.said.title)}</h1>{_paragraphs(page)}{page.extra}{_buttons(page)}</main>"


def _sections(page: Dressed) -> str:
    sections = "".join(
        f"<section><h2>{escape(' '.join(paragraph.split()[:4]))}</h2><p>{escape(paragraph)}</p></section>"
        for paragraph in page.said.paragraphs
    )
    return (
        f"<nav>{' '.join(escape(entry) for entry in page.navigation)}</nav><h1>{escape(page.said.title)}</h1>"
        f"{sections}<aside>{escape(page.cookies)}</aside>{page.extra}<p>{_buttons(page)}</p>"
        f"<footer>{escape(page.footer)}</footer>"
    )
