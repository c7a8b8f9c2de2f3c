"""Campaigns: near-duplicate posts of several authors, by spammers mostly, by ordinary people now and then."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime

from moderation.simulation.authors import Author
from moderation.simulation.population import Population
from moderation.simulation.texts import Template, Text, TextSource, variant

_SPAM_SHARE = 0.55
_TALK_SHARE = 0.05
_RUNNING_AT_ONCE = 6


@dataclass(slots=True, kw_only=True)
class Campaign:
    """A running campaign; `posts_left` counts down to its end."""

    id: str
    template: Template
    authors: tuple[Author, ...]
    posts_left: int


class Campaigns:
    """Starts campaigns and continues those that run."""

    def __init__(self, *, run: str, population: Population, texts: TextSource, rng: random.Random) -> None:
        self._run = run
        self._population = population
        self._texts = texts
        self._rng = rng
        self._count = 0
        self._running: dict[bool, list[Campaign]] = {True: [], False: []}

    def next_post(self, *, is_spam: bool, at: datetime) -> tuple[Text, Author, str] | None:
        """Return text, author and campaign id of a campaign's next post; None when a single post is due."""
        rng, running = self._rng, self._running[is_spam]
        if rng.random() >= (_SPAM_SHARE if is_spam else _TALK_SHARE):
            return None
        if len(running) < _RUNNING_AT_ONCE and (not running or rng.random() < 0.15):
            started = self._start(is_spam=is_spam, at=at)
            if started is None:
                return None
            running.append(started)
        campaign = rng.choice(running)
        campaign.posts_left -= 1
        if campaign.posts_left <= 0:
            running.remove(campaign)
        return variant(campaign.template, rng=rng), rng.choice(campaign.authors), campaign.id

    def _start(self, *, is_spam: bool, at: datetime) -> Campaign | None:
        template = self._texts.template(rng=self._rng, is_spam=is_spam)
        if template is None:
            return None
        self._count += 1
        choose = self._population.spammer if is_spam else self._population.talker
        posts = 2 + int(self._rng.paretovariate(1.1) * 3)
        authors = [
            choose(kind=template.kind, language=template.language, at=at)
            for _ in range(max(2, min(posts // self._rng.randint(1, 4), 14)))
        ]
        return Campaign(
            id=f"{self._run}-c{self._count:04}",
            template=template,
            authors=tuple(authors),
            posts_left=min(posts, 60),
        )
