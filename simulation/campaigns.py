"""Campaigns of spammers: near-duplicates from several accounts, mostly wide and slow, some in bursts."""

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from simulation import hosts
from simulation.authors import Author, Batch, Role
from simulation.population import Population
from simulation.texts import Text, TextSource, relinked

SHARE_OF_SPAM = 0.55

# More run at once as the world grows older, so that each lasts for weeks or months where the world does.
_RUNNING_AT_FIRST, _POSTS_PER_RUNNING = 8, 22
_SMALLEST, _LARGEST = 6, 150
_SIZE_TAIL = 1.05
_BURST_LARGEST = 25
_BURST_GAP_SECONDS = 25.0
_BURST_FOCUS = 0.8
_MOVING_SHARE = 0.12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    """How a campaign is made: by which accounts, how many posts each, how fast, and how varied its texts."""

    weight: float
    roles: tuple[Role, ...]
    posts_per_account: float = 1.09
    is_burst: bool = False
    is_reworded: bool = False


_STYLES = (
    _Style(weight=30, roles=(Role.HIJACKED,)),
    _Style(weight=22, roles=(Role.AGED_BOUGHT, Role.REPURPOSED)),
    _Style(weight=14, roles=(Role.FRESH,)),
    _Style(weight=12, roles=(Role.PROMOTER, Role.AGED_BOUGHT), posts_per_account=4.0),
    _Style(weight=12, roles=(Role.FRESH, Role.HIJACKED), posts_per_account=2.5, is_burst=True),
    _Style(weight=10, roles=(Role.AGED_BOUGHT, Role.HIJACKED), is_reworded=True),
)


@dataclass(slots=True, kw_only=True)
class _Campaign:
    """A running campaign; `posts_left` counts down to its end, `url` is where it moved to."""

    id: str
    text: Text
    style: _Style
    role: Role
    batch: Batch
    gap: timedelta
    posts_left: int
    next_at: datetime
    url: str = ""
    authors: list[Author] = field(default_factory=list)


class Campaigns:
    """Starts campaigns and continues those that run."""

    def __init__(self, *, run: str, population: Population, texts: TextSource, rng: random.Random) -> None:
        self._run = run
        self._population = population
        self._texts = texts
        self._rng = rng
        self._count = 0
        self._posts = 0
        self._running: list[_Campaign] = []
        self._burst: _Campaign | None = None

    def hurried(self, scheduled_at: datetime, *, after: datetime | None) -> datetime:
        """Return when the next post is made: as scheduled, or at once while a burst runs."""
        if self._burst is None or after is None:
            return scheduled_at
        soon = after + timedelta(seconds=self._rng.expovariate(1 / _BURST_GAP_SECONDS))
        return min(scheduled_at, soon)

    def is_bursting(self) -> bool:
        """Tell by chance whether a running burst writes the next post."""
        return self._burst is not None and self._rng.random() < _BURST_FOCUS

    def next_post(self, *, at: datetime) -> tuple[Text, Author, str] | None:
        """Return text, author and campaign id of a campaign's next post; None when a single post is due."""
        campaign = self._burst or self._due(at)
        return None if campaign is None else self._post(campaign, at=at)

    def _due(self, at: datetime) -> _Campaign | None:
        if self._rng.random() >= SHARE_OF_SPAM:
            return None
        earliest = min(self._running, key=lambda campaign: campaign.next_at, default=None)
        at_most = _RUNNING_AT_FIRST + self._posts // _POSTS_PER_RUNNING
        if earliest and (earliest.next_at <= at or len(self._running) >= at_most):
            return earliest
        return self._start(at)

    def _post(self, campaign: _Campaign, *, at: datetime) -> tuple[Text, Author, str]:
        text = self._variant(campaign)
        author = self._author(campaign, at=at)
        self._posts += 1
        campaign.posts_left -= 1
        campaign.next_at = at + campaign.gap * self._rng.expovariate(1.0)
        if campaign.posts_left <= 0:
            self._end(campaign)
        return text, author, campaign.id

    def _variant(self, campaign: _Campaign) -> Text:
        """Return its text, or one that says the same; all lead to one place until the campaign moves."""
        rng, text = self._rng, campaign.text
        if not text.urls:
            return self._texts.reworded(text, rng=rng) if campaign.style.is_reworded else text
        if rng.random() < _MOVING_SHARE:
            campaign.url = hosts.url_on(hosts.spam_host(rng=rng), is_spam=True, rng=rng)
        if campaign.style.is_reworded:
            text = relinked(self._texts.reworded(text, rng=rng), url=campaign.url or text.urls[0])
        return relinked(text, url=campaign.url) if campaign.url else text

    def _author(self, campaign: _Campaign, *, at: datetime) -> Author:
        if campaign.authors and self._rng.random() >= 1 / campaign.style.posts_per_account:
            return self._rng.choice(campaign.authors)
        author = self._population.recruit(
            campaign.role, language=campaign.text.language, batch=campaign.batch, at=at
        )
        campaign.authors.append(author)
        return author

    def _start(self, at: datetime) -> _Campaign | None:
        rng = self._rng
        text = self._texts.shared(rng=rng, is_spam=True)
        if text is None:
            return None
        self._count += 1
        style = rng.choices(_STYLES, weights=[style.weight for style in _STYLES])[0]
        role = rng.choice(style.roles)
        size = int(_SMALLEST * rng.paretovariate(_SIZE_TAIL))
        campaign = _Campaign(
            id=f"{self._run}-c{self._count:04}",
            text=text,
            style=style,
            role=role,
            batch=self._population.batch(role, at=at),
            # A day between two copies, minutes in some campaigns and weeks in others.
            gap=timedelta(days=rng.lognormvariate(0.0, 2.0)),
            posts_left=min(size, _BURST_LARGEST if style.is_burst else _LARGEST),
            next_at=at,
        )
        if style.is_burst:
            self._burst = campaign
        else:
            self._running.append(campaign)
        return campaign

    def _end(self, campaign: _Campaign) -> None:
        if campaign is self._burst:
            self._burst = None
        else:
            self._running.remove(campaign)
