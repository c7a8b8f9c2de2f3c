"""Plan the site behind a link: redirects, family of its page, tricks."""

import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TypeVar
from urllib.parse import urlsplit

from simulation import hosts, material
from simulation.texts import Kind
from simulation.web import families, pictures
from simulation.web.pictures import Alteration, Show
from simulation.web.shares import Shares
from simulation.web.sites import Behaviour, Site

_FACED = (Behaviour.PREVIEW, Behaviour.CLOAKED, Behaviour.TURNS)
_PREVIEW_SHARE = 0.5
_HOPS = {True: (0.18, 0.35), False: (0.2, 0.0)}
"""By whether it is spam: the share of links that redirect anyway, and of those, that hop once more."""
_REFRESH_SHARE = 0.25
_TURN_HOURS = (1.0, 24.0)
_Choice = TypeVar("_Choice")


def site(
    url: str,
    *,
    kind: Kind,
    language: str,
    at: datetime,
    is_open: bool,
    shares: Shares,
    held_out: bool,
    seed: str,
) -> Site:
    """Return what a link of a post leads to; `is_open` spam says what it is and may lead to honest shops.

    Posts of a campaign that link to one host of its own find one page there.
    """
    host = urlsplit(url).hostname or ""
    is_lent = hosts.is_shared(host) or hosts.is_small_site(host)
    look = f"{seed} {url if is_lent else host}"
    rng = random.Random(f"site {look}")
    is_large = host in material.table("hosts")["large_sites"]
    is_hostile = kind.is_spam and not (is_open and is_large and rng.random() < shares.affiliate)
    family = _family(kind, is_hostile=is_hostile, held_out=held_out, rng=rng)
    behaviour = drawn(shares.behaviours if is_hostile else shares.honest_behaviours, rng=rng)
    face = _face(held_out=held_out, rng=rng) if behaviour in _FACED else ""
    own = random.Random(f"hops {seed} {url}")
    return Site(
        urls=_urls(url, host=host, kind=kind, is_hostile=is_hostile, rng=own),
        family=family,
        kind=kind.name if is_hostile == kind.is_spam else "",
        language=language,
        look=look,
        behaviour=behaviour,
        face=face,
        turns_at=at + timedelta(hours=rng.uniform(*_TURN_HOURS)) if behaviour == Behaviour.TURNS else None,
        preview=_preview(kind, is_hostile=is_hostile and not face, held_out=held_out, rng=rng),
        refreshes=own.random() < _REFRESH_SHARE,
    )


def drawn(weights: Mapping[_Choice, float], *, rng: random.Random) -> _Choice:
    """Return one of several by its weight."""
    return rng.choices(list(weights), weights=list(weights.values()))[0]


def _family(kind: Kind, *, is_hostile: bool, held_out: bool, rng: random.Random) -> str:
    if kind.is_spam and not is_hostile:
        return rng.choice(families.of_kind("shop_page", held_out=held_out)).name
    page_kind = rng.choice(families.page_kinds(kind.name))
    return rng.choice(families.of_kind(page_kind, held_out=held_out)).name


def _face(*, held_out: bool, rng: random.Random) -> str:
    return rng.choice(families.of_side(is_hostile=False, held_out=held_out)).name


def _urls(url: str, *, host: str, kind: Kind, is_hostile: bool, rng: random.Random) -> tuple[str, ...]:
    """Return the link and where it redirects to: a shortener always, others at times."""
    often, again = _HOPS[is_hostile]
    is_short = _is_shortener(host)
    if not is_short and rng.random() >= often:
        return (url,)
    urls = [url]
    if rng.random() < again:
        urls.append(hosts.url_on(hosts.registered_host(rng=rng), is_spam=True, rng=rng))
    if is_short or is_hostile:
        urls.append(_end(kind, is_hostile=is_hostile, rng=rng))
    else:
        urls.append(f"https://{host}/{rng.choice(('en', 'index', 'home', 'p'))}/{rng.randint(1, 99_999)}")
    return tuple(dict.fromkeys(urls))


def _end(kind: Kind, *, is_hostile: bool, rng: random.Random) -> str:
    """Return where a shortened link ends: never at another shortener."""
    make = hosts.spam_host if kind.is_spam else hosts.talk_host
    while _is_shortener(host := make(rng=rng)):
        pass
    return hosts.url_on(host, is_spam=is_hostile, rng=rng)


def _is_shortener(host: str) -> bool:
    table = material.table("hosts")
    return host in (*table["shorteners"], *table["named_shorteners"])


def _preview(kind: Kind, *, is_hostile: bool, held_out: bool, rng: random.Random) -> str:
    if rng.random() >= _PREVIEW_SHARE:
        return ""
    # An honest site shows no other company's poster.
    is_photo = not is_hostile or rng.random() < 0.5
    return pictures.choose(
        Show.PHOTO if is_photo else Show.POSTER,
        is_hostile=is_hostile and not is_photo,
        held_out=held_out,
        kind=kind.name if is_hostile == kind.is_spam else "",
        alteration=Alteration.NONE,
        rng=rng,
    ).name
