"""Honest near-duplicates: headlines, appeals, invitations.

Their groups of near-duplicates outnumber those of spammers, so that likeness alone proves nothing.
"""

import dataclasses
import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from simulation.authors import Author
from simulation.population import Population
from simulation.texts import CuratedTexts, Families, Text, TextSource

_RUNNING_AT_MOST = 40
_SIZE_TAIL = 2.1
_LARGEST = 300
# Two of the families kept out are passed on: with more, the others would hardly be seen.
_KEPT_OUT_SHARE = 0.1
# Clubs and shops post the same text again; most people pass something on once.
_SAME_AUTHOR_SHARE = 0.06


@dataclass(slots=True, kw_only=True)
class _Group:
    """A group of copies."""

    id: str
    text: Text
    author: Author
    gap: timedelta
    posts_left: int
    next_at: datetime


def share_of_talk(*, spam_share: float) -> float:
    """Return the share of honest posts that are passed on.

    More of them in worlds with more spam than there is in reality, so that in each there are 10 to 40 honest
    groups for one of spammers, as Egele and Stringhini found (COMPA).
    """
    return min(0.05 + 1.6 * spam_share, 0.4)


class PassedOn:
    """Starts and continues groups of honest near-duplicates."""

    def __init__(
        self,
        *,
        run: str,
        population: Population,
        texts: TextSource,
        spam_share: float,
        rng: random.Random,
    ) -> None:
        self._run = run
        self._share = share_of_talk(spam_share=spam_share)
        if isinstance(texts, CuratedTexts) and texts.families == Families.KEPT_OUT:
            self._share = _KEPT_OUT_SHARE
        self._population = population
        self._texts = texts
        self._rng = rng
        self._count = 0
        self._running: list[_Group] = []

    def next_post(self, *, at: datetime) -> tuple[Text, Author, str] | None:
        """Return text, author and group id of the next copy; None when somebody's own post is due."""
        if self._rng.random() >= self._share:
            return None
        earliest = min(self._running, key=lambda group: group.next_at, default=None)
        if earliest and (earliest.next_at <= at or len(self._running) >= _RUNNING_AT_MOST):
            return self._again(earliest, at=at)
        return self._start(at)

    def _start(self, at: datetime) -> tuple[Text, Author, str] | None:
        rng = self._rng
        text = self._texts.shared(rng=rng, is_spam=False)
        if text is None:
            return None
        self._count += 1
        group = _Group(
            id=f"{self._run}-h{self._count:05}",
            text=text,
            author=self._population.talker(kind=text.kind, language=text.language, at=at),
            gap=timedelta(hours=rng.lognormvariate(0.3, 1.6)),
            posts_left=min(int(rng.paretovariate(_SIZE_TAIL)), _LARGEST),
            next_at=at,
        )
        group.next_at = at + group.gap * rng.expovariate(1.0)
        self._running.append(group)
        return group.text, group.author, group.id

    def _again(self, group: _Group, *, at: datetime) -> tuple[Text, Author, str]:
        rng = self._rng
        group.posts_left -= 1
        group.next_at = at + group.gap * rng.expovariate(1.0)
        if group.posts_left <= 0:
            self._running.remove(group)
        text, author = group.text, group.author
        if rng.random() >= _SAME_AUTHOR_SHARE:
            author = self._population.talker(kind=text.kind, language=text.language, at=at)
        return dataclasses.replace(text, is_passed_on=True), author, group.id
