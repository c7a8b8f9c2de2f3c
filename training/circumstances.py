"""Ten circumstances for any text, drawn independently of its label.

An honest text and a spam text get their account, past, reactions and journey from the same distributions, so
that a verdict which depends on these is detected. Figures of accounts are quantiles of published data sets
(docs/simulation.md); nothing here is used to train.
"""

import dataclasses
from collections.abc import Callable, Mapping
from datetime import timedelta

import numpy as np

from scoring.records import History, JourneyStep, PostRecord

Circumstance = Callable[[PostRecord, np.random.Generator], PostRecord]

# 10, 25, 50, 75 and 90 % quantiles of genuine accounts.
_FOLLOWERS = (118, 218, 345, 516, 1_884)
_FRIENDS = (96, 222, 432, 748, 1_359)
_POSTS = (6, 30, 79, 497, 6_611)
_AGE_DAYS = (290, 630, 1_191, 1_803, 2_190)
_LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)


def _bare(record: PostRecord, _: np.random.Generator) -> PostRecord:
    return record


def _ordinary(record: PostRecord, random: np.random.Generator) -> PostRecord:
    """An ordinary account: some years old, some hundred followers, seen here for the first time."""
    author = dataclasses.replace(
        record.author,
        display_name="Kim Example",
        created_at=record.at - timedelta(days=_drawn(_AGE_DAYS, random)),
        email_domain="mail.example",
        friends=int(_drawn(_FRIENDS, random)),
        followers=int(_drawn(_FOLLOWERS, random)),
        is_verified=False,
        posts=int(_drawn(_POSTS, random)),
    )
    neighbours = int(random.integers(0, 4))
    address = _past(record, random, posts=3 * neighbours, days=90, authors=neighbours)
    return dataclasses.replace(record, author=author, ip="192.0.2.7", ip_history=address)


def _with_past(record: PostRecord, random: np.random.Generator) -> PostRecord:
    """The same account with forty earlier posts, none of them decided."""
    ordinary = _ordinary(record, random)
    author = dataclasses.replace(ordinary.author, posts=(ordinary.author.posts or 0) + 40)
    history = _past(record, random, posts=40, days=200, authors=1)
    return dataclasses.replace(ordinary, author=author, author_history=history)


def _with_reactions(record: PostRecord, random: np.random.Generator) -> PostRecord:
    """Three shares and two comments, which a second account of the author could produce."""
    return dataclasses.replace(
        _with_past(record, random),
        at=record.at + timedelta(hours=2),
        shares=3,
        comments=2,
    )


def _with_journey(record: PostRecord, random: np.random.Generator) -> PostRecord:
    """A human-looking journey: looking around, typing in bursts, pauses."""
    names = ["scroll"] * int(random.integers(1, 6)) + ["open_composer", "focus_text"]
    names += ["key"] * int(np.clip(len(record.text) // 10, 3, 60)) + ["submit"]
    pauses = 1_000.0 * random.lognormal(0.0, 0.9, size=len(names))
    at_ms = np.concatenate([[0.0], np.cumsum(pauses[1:])])
    steps = tuple(JourneyStep(name=name, at_ms=int(at)) for name, at in zip(names, at_ms, strict=True))
    return dataclasses.replace(_with_reactions(record, random), journey=steps)


def _new(record: PostRecord, random: np.random.Generator) -> PostRecord:
    """An account some hours old: three of four new accounts are not spammers."""
    author = dataclasses.replace(
        record.author,
        created_at=record.at - timedelta(hours=float(random.uniform(0.1, 48.0))),
        email_domain="mail.example",
        friends=int(random.integers(0, 40)),
        followers=int(random.integers(0, 6)),
        is_verified=False,
        posts=int(random.integers(0, 3)),
    )
    return dataclasses.replace(record, author=author, ip="192.0.2.8")


def _hijacked(record: PostRecord, random: np.random.Generator) -> PostRecord:
    """A hijacked account with its whole history, silent for a month and posting in bursts today."""
    owned = _ordinary(record, random)
    posts = int(random.integers(60, 400))
    history = dataclasses.replace(
        _past(record, random, posts=posts, days=700, authors=1), posts_24h=int(random.integers(4, 13))
    )
    author = dataclasses.replace(owned.author, posts=(owned.author.posts or 0) + posts)
    return dataclasses.replace(
        owned, author=author, author_history=history, ip="198.51.100.9", ip_history=History()
    )


def _bought(record: PostRecord, random: np.random.Generator) -> PostRecord:
    """An account of about a year that never posted, with followers bought along with it."""
    author = dataclasses.replace(
        record.author,
        created_at=record.at - timedelta(days=float(random.normal(323.0, 60.0))),
        email_domain="mail.example",
        friends=int(random.integers(200, 5_000)),
        followers=int(random.integers(200, 5_000)),
        is_verified=False,
        posts=int(random.integers(0, 5)),
    )
    return dataclasses.replace(record, author=author, ip="203.0.113.5")


def _in_cluster(record: PostRecord, random: np.random.Generator) -> PostRecord:
    """One of many copies by many accounts over weeks, as greetings, titles and chain letters are."""
    copies = int(random.integers(5, 41))
    similar = dataclasses.replace(
        _past(record, random, posts=copies, days=21, authors=max(1, round(0.9 * copies))),
        posts_24h=int(random.integers(0, 4)),
    )
    return dataclasses.replace(_ordinary(record, random), similar=similar)


def _partial(record: PostRecord, random: np.random.Generator) -> PostRecord:
    """A platform that sends addresses and reactions but nothing about accounts.

    The address is shared by many.
    """
    authors = int(random.integers(5, 60))
    return dataclasses.replace(
        record,
        author_history=_past(record, random, posts=int(random.integers(0, 9)), days=30, authors=1),
        ip="192.0.2.77",
        ip_history=_past(record, random, posts=4 * authors, days=60, authors=authors),
        shares=0,
        comments=0,
    )


CIRCUMSTANCES: Mapping[str, Circumstance] = {
    "bare: nothing but the text": _bare,
    "ordinary account": _ordinary,
    "+ 40 earlier posts known": _with_past,
    "+ 3 shares and 2 comments": _with_reactions,
    "+ human-looking journey": _with_journey,
    "new account": _new,
    "hijacked account": _hijacked,
    "aged account, bought": _bought,
    "among honest copies": _in_cluster,
    "no account facts, shared address": _partial,
}


def _drawn(quantiles: tuple[int, ...], random: np.random.Generator) -> float:
    """Draw from a distribution by its quantiles, straight between them."""
    return float(np.interp(random.uniform(0.02, 0.98), _LEVELS, quantiles))


def _past(
    record: PostRecord, random: np.random.Generator, *, posts: int, days: float, authors: int
) -> History:
    """Posts over some days on which nobody complained or decided."""
    if not posts:
        return History()
    first = record.posted_at - timedelta(days=float(random.uniform(0.3, 1.0)) * days)
    return History(posts=posts, authors=authors, first_seen_at=first)
