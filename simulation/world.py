"""The simulated world: posts and complaints in the order of time, the same for the same seed."""

import heapq
import random
from collections import defaultdict, deque
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from scoring.links import links_in
from simulation import authors, hostile, reporters
from simulation.authors import Author, Role
from simulation.campaigns import Campaigns
from simulation.circumstances import circumstances
from simulation.events import ComplaintEvent, Event, PostEvent, Truth
from simulation.passed_on import PassedOn
from simulation.platforms import SENT, Network, PlatformKind
from simulation.population import Population
from simulation.texts import CuratedTexts, Families, Text, TextSource
from simulation.web.leading import Leading, Led
from simulation.web.shares import Mode

_ENDINGS = ("!", "!!", "...", ".", "?!", " :)", " 🙂", " 😀")
SPAM_SHARE = 0.2
SECONDS_PER_POST = (1800, 7200, 60)
"""Paces of the worlds that are trained on and measured, by turns: 2,500 posts last seven weeks, seven months
or two days, because campaigns last from minutes to months.
"""
HOSTILE_SHARE = 0.025
_ANSWERING_SHARE, _ARTICLE_SHARE, _NEW_ARTICLE_SHARE = 0.4, 0.3, 0.2
_BARE_SHARE = 0.07
_DISGUISED_SPAM_SHARE = 0.07
_REMEMBERED = 120


class World:
    """Yields events; calls of `run` continue one another. Ids begin with `run`, so that worlds add up.

    `texts` are curated ones, whose families are those of its pages, too, or from elsewhere. `platform` says
    what the platform sends, `network` what its accounts look like, by chance if None, and `eagerness` how
    many times as often as usual its readers complain. `leads` says what posts lead to; None is nowhere.
    """

    def __init__(
        self,
        *,
        seed: int,
        run: str,
        texts: TextSource | Families = Families.KEPT_OUT,
        spam_share: float = SPAM_SHARE,
        platform: PlatformKind = PlatformKind.EVERYTHING,
        network: Network | None = None,
        eagerness: float = 1.0,
        leads: Mode | None = None,
    ) -> None:
        self._rng = random.Random(seed)
        self._run = run
        self._spam_share = spam_share
        self._sent = SENT[platform]
        self._eagerness = eagerness
        if isinstance(texts, Families):
            texts = CuratedTexts(texts, has_links=self._sent.has_links)
        self._texts = texts
        network = network or self._rng.choice(list(Network))
        population = Population(run=run, network=network, rng=self._rng)
        self._population = population
        self._campaigns = Campaigns(run=run, population=population, texts=self._texts, rng=self._rng)
        self._passed_on = PassedOn(
            run=run,
            population=population,
            texts=self._texts,
            spam_share=spam_share,
            rng=self._rng,
        )
        self._threads = Threads(run=run, seed=seed, texts=self._texts)
        self._leading: Leading | None = None
        if leads and isinstance(self._texts, CuratedTexts):
            self._leading = Leading(seed=seed, leads=leads, sent=self._sent, texts=self._texts)
        self._posts = 0
        self._spam_ahead = 0
        self._last_at: datetime | None = None
        self._due: list[tuple[datetime, str, ComplaintEvent]] = []

    def run(self, *, start: datetime, seconds_per_post: float, posts: int | None = None) -> Iterator[Event]:
        """Yield posts `seconds_per_post` apart on average, and complaints when due; endless if None posts."""
        for seconds in self._instants(seconds_per_post=seconds_per_post, posts=posts):
            scheduled_at = start + timedelta(seconds=seconds)
            at = max(start, self._campaigns.hurried(scheduled_at, after=self._last_at))
            self._last_at = at
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
        led = Led(text=text)
        if self._leading:
            led = self._leading.lead(text, campaign=campaign, at=at)
            text = led.text
        raw, spoiler = self._spoilt(text, is_copied=bool(campaign))
        role = Role.HIJACKED if text.kind.is_spam and author.takeover else author.role
        truth = Truth(
            is_spam=text.kind.is_spam,
            kind=text.kind.name,
            language=text.language,
            campaign=campaign,
            hostile=spoiler,
            role=role,
            is_hard=text.is_hard,
            hides_in=led.hides_in,
            words=led.words,
            twin_in=led.twin_in,
            families=led.families,
            tricks=led.tricks,
        )
        payload = self._payload(text, raw=raw, author=author, role=role, at=at) | led.shown
        if self._sent.has_complaints:
            self._complain(text, post=payload["external_id"], at=at)
        return PostEvent(at=at, payload=payload, truth=truth, sites=led.sites)

    def _spoilt(self, text: Text, *, is_copied: bool) -> tuple[str, str | None]:
        """Return a curated text, spam worn or disguised, and its hostile piece; a file's text untouched."""
        if not isinstance(self._texts, CuratedTexts):
            return text.text, None
        rng, raw = self._rng, text.text
        if text.kind.is_spam and is_copied:
            raw = _with_typos(raw, rng=rng)
        if text.kind.is_spam and rng.random() < _DISGUISED_SPAM_SHARE:
            raw = hostile.disguise(raw, rng=rng)
        return hostile.spoil(raw, rng=rng) if rng.random() < HOSTILE_SHARE else (raw, None)

    def _written(self, at: datetime) -> tuple[Text, Author, str | None]:
        is_spam = self._is_spam(must_be=self._campaigns.is_bursting())
        source = self._campaigns if is_spam else self._passed_on
        if joint := source.next_post(at=at):
            return joint
        text = self._texts.take(rng=self._rng, is_spam=is_spam)
        choose = self._population.spammer if text.kind.is_spam else self._population.talker
        author = choose(kind=text.kind, language=text.language, at=at)
        return text, author, f"{self._run}-g{text.group}" if text.group else None

    def _is_spam(self, *, must_be: bool) -> bool:
        """Tell whether the next post is spam; what a burst takes ahead is missing afterwards."""
        is_spam = self._rng.random() < self._spam_share
        if must_be and not is_spam:
            self._spam_ahead += 1
        elif is_spam and not must_be and self._spam_ahead:
            self._spam_ahead -= 1
            return False
        return is_spam or must_be

    def _payload(self, text: Text, *, raw: str, author: Author, role: Role, at: datetime) -> dict[str, Any]:
        self._posts += 1
        author.posts += 1
        payload: dict[str, Any] = {
            "external_id": f"{self._run}-p{self._posts:06}",
            "text": raw,
            "posted_at": at.isoformat(),
            "author": {"external_id": author.external_id},
        }
        facts = circumstances(text, author=author, role=role, rng=self._rng)
        if parent := self._threads.parent(text, post=payload["external_id"]):
            facts["parent"] = parent
        if self._rng.random() < _BARE_SHARE or not (self._sent.account or self._sent.circumstances):
            return payload
        payload["author"] = author.described(facts=self._sent.account)
        return payload | {name: value for name, value in facts.items() if name in self._sent.circumstances}

    def _complain(self, text: Text, *, post: str, at: datetime) -> None:
        for complaint in reporters.complaints(
            kind=text.kind, run=self._run, eagerness=self._eagerness, rng=self._rng
        ):
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


def _with_typos(text: str, *, rng: random.Random) -> str:
    """Return the text as somebody might have typed it; links stay as they are."""
    has_links = bool(links_in(text))
    if rng.random() < 0.14 and not has_links:
        text = text.lower()
    if rng.random() < 0.04 and not has_links:
        text = text.upper()
    if rng.random() < 0.12 and len(text) > 12 and not has_links:
        text = _slip(text, rng=rng)
    if rng.random() < 0.15:
        text = text.rstrip(".!") + rng.choice(_ENDINGS) if not has_links else f"{text} {rng.choice(_ENDINGS)}"
    return text


def _slip(text: str, *, rng: random.Random) -> str:
    """Swap two neighbouring letters or leave one out."""
    at = rng.randrange(1, len(text) - 1)
    if not (text[at].isalpha() and text[at - 1].isalpha()):
        return text
    if rng.random() < 0.5:
        return text[: at - 1] + text[at] + text[at - 1] + text[at + 1 :]
    return text[:at] + text[at + 1 :]


class Threads:
    """Chooses what a post answers, an earlier one or an article that is not sent, by chances of its own.

    People answer honest posts of their own family and language, spam any in its language.
    """

    def __init__(self, *, run: str, seed: int, texts: TextSource) -> None:
        self._run = run
        self._rng = random.Random(f"threads-{seed}")
        self._texts = texts if isinstance(texts, CuratedTexts) else None
        self._posts: deque[tuple[str, Text]] = deque(maxlen=_REMEMBERED)
        self._articles: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        self._articles_written = 0

    def parent(self, text: Text, *, post: str) -> dict[str, Any] | None:
        """Return what a post answers as the API takes it, None for most, and remember the post."""
        parent = self._parent(text) if self._rng.random() < _ANSWERING_SHARE else None
        self._posts.append((post, text))
        return parent

    def _parent(self, text: Text) -> dict[str, Any] | None:
        alike = [(name, earlier) for name, earlier in self._posts if _is_answered(earlier, by=text)]
        if alike and self._rng.random() >= _ARTICLE_SHARE:
            return {"external_id": self._rng.choice(alike)[0]}
        if text.kind.is_spam:
            return self._article(self._rng.choice(alike)[1]) if alike else None
        return self._article(text)

    def _article(self, text: Text) -> dict[str, Any] | None:
        """Return an article on the subject of a text, None if there is no other."""
        articles = self._articles[text.kind.name, text.language]
        if self._texts and (not articles or self._rng.random() < _NEW_ARTICLE_SHARE):
            self._articles_written += 1
            name = f"{self._run}-t{self._articles_written:04}"
            articles.append(
                {
                    "external_id": name,
                    "text": self._texts.reworded(text, rng=self._rng).text,
                    "author": {
                        "external_id": f"{name}-author",
                        "display_name": authors.first_name(text.language, rng=self._rng),
                    },
                }
            )
        others = [article for article in articles if article["text"] != text.text]
        return self._rng.choice(others) if others else None


def _is_answered(post: Text, *, by: Text) -> bool:
    is_about_it = by.kind.is_spam or post.kind == by.kind
    return not post.kind.is_spam and post.language == by.language and is_about_it
