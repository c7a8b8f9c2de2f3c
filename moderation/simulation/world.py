"""The simulated world: posts and complaints in the order of time, the same for the same seed."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from moderation.simulation import addresses, hostile, journeys, reporters, wear
from moderation.simulation.authors import Author, Role
from moderation.simulation.campaigns import Campaigns
from moderation.simulation.events import ComplaintEvent, Event, PostEvent, Truth
from moderation.simulation.journeys import Style
from moderation.simulation.population import Population
from moderation.simulation.texts import ComposedTexts, Text, TextSource

SPAM_SHARE = 0.2
HOSTILE_SHARE = 0.025

_BARE_SHARE = 0.07
_NO_IP_SHARE = 0.12
_ASN_SHARE = 0.5
_NO_JOURNEY_SHARE = 0.28
_LINKS_SENT_SHARE = 0.7
_DISGUISED_SPAM_SHARE = 0.07
_STYLES = {
    Role.ORDINARY: ([Style.TYPING, Style.PASTING, Style.SCHEDULED], [82, 15, 3]),
    Role.NEWCOMER: ([Style.TYPING, Style.PASTING], [85, 15]),
    Role.POWER_USER: ([Style.TYPING, Style.PASTING, Style.SCHEDULED], [60, 20, 20]),
    Role.FRESH_BULK: ([Style.BOT, Style.IMITATION, Style.PASTING], [62, 20, 18]),
    Role.HIJACKED: ([Style.BOT, Style.IMITATION, Style.PASTING], [50, 20, 30]),
    Role.PATIENT: ([Style.TYPING, Style.PASTING, Style.IMITATION], [45, 40, 15]),
    Role.PROMOTER: ([Style.TYPING, Style.PASTING, Style.SCHEDULED], [40, 40, 20]),
}


class World:
    """Yields events; calls of `run` continue one another. Ids begin with `run`, so that worlds add up."""

    def __init__(
        self, *, seed: int, run: str, texts: TextSource | None = None, spam_share: float = SPAM_SHARE
    ) -> None:
        self._rng = random.Random(seed)
        self._run = run
        self._spam_share = spam_share
        self._texts = texts or ComposedTexts()
        self._population = Population(run=run, rng=self._rng)
        self._campaigns = Campaigns(run=run, population=self._population, texts=self._texts, rng=self._rng)
        self._posts = 0
        self._due: list[tuple[datetime, str, ComplaintEvent]] = []

    def run(self, *, start: datetime, seconds_per_post: float, posts: int | None = None) -> Iterator[Event]:
        """Yield posts `seconds_per_post` apart on average, and complaints when due; endless if None posts."""
        for seconds in self._instants(seconds_per_post=seconds_per_post, posts=posts):
            at = start + timedelta(seconds=seconds)
            yield from self.complaints_due(until=at)
            yield self._post(at)

    def complaints_due(self, *, until: datetime | None = None) -> Iterator[ComplaintEvent]:
        """Yield the complaints that readers make before `until`; all that are left if None."""
        while self._due and (until is None or self._due[0][0] < until):
            yield heapq.heappop(self._due)[2]

    def _instants(self, *, seconds_per_post: float, posts: int | None) -> Iterator[float]:
        """Yield the seconds of a Poisson process; a number of `posts` fills its window and no more."""
        if posts is not None:
            window = seconds_per_post * posts
            yield from sorted(self._rng.uniform(0, window) for _ in range(posts))
            return
        seconds = 0.0
        while True:
            seconds += self._rng.expovariate(1 / seconds_per_post)
            yield seconds

    def _post(self, at: datetime) -> PostEvent:
        text, author, campaign = self._written(at)
        raw, spoiler = self._spoilt(text)
        truth = Truth(
            is_spam=text.kind.is_spam,
            kind=text.kind.name,
            language=text.language,
            campaign=campaign,
            hostile=spoiler,
        )
        event = PostEvent(at=at, payload=self._payload(text, raw=raw, author=author, at=at), truth=truth)
        self._complain(text, post=event.payload["external_id"], at=at)
        return event

    def _spoilt(self, text: Text) -> tuple[str, str | None]:
        """Return a composed text, worn or disguised, and its hostile piece; a file's text untouched."""
        if not isinstance(self._texts, ComposedTexts):
            return text.text, None
        rng = self._rng
        raw = wear.wear(text.text, urls=text.urls, rng=rng)
        if text.kind.is_spam and rng.random() < _DISGUISED_SPAM_SHARE:
            raw = hostile.disguise(raw, rng=rng)
        return hostile.spoil(raw, rng=rng) if rng.random() < HOSTILE_SHARE else (raw, None)

    def _written(self, at: datetime) -> tuple[Text, Author, str | None]:
        is_spam = self._rng.random() < self._spam_share
        if joint := self._campaigns.next_post(is_spam=is_spam, at=at):
            return joint
        text = self._texts.take(rng=self._rng, is_spam=is_spam)
        choose = self._population.spammer if text.kind.is_spam else self._population.talker
        author = choose(kind=text.kind, language=text.language, at=at)
        return text, author, f"{self._run}-g{text.group}" if text.group else None

    def _payload(self, text: Text, *, raw: str, author: Author, at: datetime) -> dict[str, Any]:
        rng = self._rng
        self._posts += 1
        author.posts += 1
        payload: dict[str, Any] = {
            "external_id": f"{self._run}-p{self._posts:06}",
            "text": raw,
            "posted_at": at.isoformat(),
            "author": {"external_id": author.external_id},
        }
        if rng.random() < _BARE_SHARE:
            return payload
        payload["author"] = author.described()
        if text.language:
            payload["language"] = text.language
        payload["user_agent"] = author.user_agent
        payload |= self._circumstances(text, author=author)
        return payload

    def _circumstances(self, text: Text, *, author: Author) -> dict[str, Any]:
        """Return what a platform may or may not know about how the post was made."""
        rng = self._rng
        known: dict[str, Any] = {}
        if rng.random() >= _NO_IP_SHARE:
            known["ip"] = rng.choice(author.addresses)
            if rng.random() < _ASN_SHARE:
                known["ip_asn"] = addresses.asn_of(known["ip"])
        if rng.random() >= _NO_JOURNEY_SHARE:
            style = rng.choices(*_STYLES[author.role])[0]
            known["journey"] = journeys.journey(style, letters=len(text.text), rng=rng)
        if text.urls and rng.random() < _LINKS_SENT_SHARE:
            known["links"] = list(text.urls)
        if rng.random() < 0.3:
            # Sent when a platform hands posts over some time after they appeared; bought shares blur it.
            reach = 0.4 if text.kind.is_spam and rng.random() < 0.8 else 2.5
            known |= {
                "shares": int(rng.expovariate(1 / reach)),
                "comments": int(rng.expovariate(1 / (1.5 * reach))),
            }
        return known

    def _complain(self, text: Text, *, post: str, at: datetime) -> None:
        for complaint in reporters.complaints(kind=text.kind, run=self._run, rng=self._rng):
            reported_at = at + timedelta(seconds=complaint.after_seconds)
            payload: dict[str, Any] = {
                "external_id": f"{post}-{complaint.reporter.removeprefix(self._run)[1:]}",
                "post": post,
                "reporter": {"external_id": complaint.reporter},
                "reason": complaint.reason,
                "note": complaint.note,
                "reported_at": reported_at.isoformat(),
            }
            event = ComplaintEvent(at=reported_at, payload=payload)
            heapq.heappush(self._due, (reported_at, str(payload["external_id"]), event))
