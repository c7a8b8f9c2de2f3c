"""Building blocks of sentences for features; the modules beside this one hold the texts.

A sentence states what was counted in the frozen record: no share of fewer than three, no prior, and nothing
about data that the platform never sent. Features without a countable fact have no sentence.
"""

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum

from django.utils.translation import gettext, ngettext

from moderation.queries.cases.case_pages import History, PostRecord
from moderation.queries.cases.counted import Counted
from moderation.queries.outcome_counts import FEWEST_OF_A_SHARE
from moderation.web.quantities import count, counted, duration, percent

_SUSPECT_SHARE = 0.2


class Leaning(IntEnum):
    """The direction that a reader infers from a sentence.

    One that contradicts its contribution is not shown.
    """

    HONEST = -1
    EITHER = 0
    SPAM = 1


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, its direction, and the earlier posts that it counts, None if it counts none.

    `domain` is the linked domain if the posts are those that link to it.
    """

    words: str
    leaning: Leaning = Leaning.EITHER
    counted: Counted | None = None
    domain: str = ""

    def agrees_with(self, share: float) -> bool:
        """Return whether a contribution (> 0 for spam) has the sign that the sentence suggests."""
        return share * self.leaning >= 0


@dataclass(frozen=True, slots=True)
class Past:
    """Earlier posts of a record: their history, and the domain that they link to, if they are such."""

    counted: Counted
    history: History
    domain: str = ""


Finds = Callable[[PostRecord], Past | None]
Leans = Leaning | Callable[[float], Leaning]
Says = Callable[[float, PostRecord], "str | Said"]
"""Returns the text for a known, non-zero value; "" for no sentence."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """The sentence of a feature: for a value, and for zero if there is something to say.

    An unknown value has no sentence. With `past` the number is the record's `measure` of these earlier posts,
    never the feature's value; `none` is the text if there are no such posts.
    """

    says: Says
    zero: str = ""
    none: str = ""
    leans: Leans = Leaning.EITHER
    is_signed: bool = False
    past: Finds | None = None
    measure: Callable[[History, PostRecord], float] = lambda history, _: history.posts

    def of(self, value: float, record: PostRecord) -> Said | None:
        """Return the sentence for a value, None if there is none."""
        if not math.isfinite(value):
            return None
        if self.past is None:
            return self._said(value, record)
        past = self.past(record)
        if past is None:
            return None
        if not past.history.posts:
            return Said(gettext(self.none), Leaning.SPAM) if self.none else None
        sentence = self._said(float(self.measure(past.history, record)), record)
        return sentence and dataclasses.replace(sentence, counted=past.counted, domain=past.domain)

    def _said(self, value: float, record: PostRecord) -> Said | None:
        if value == 0:
            return Said(gettext(self.zero), self._opposite()) if self.zero else None
        if value < 0 and not self.is_signed:
            return None
        sentence = self.says(value, record)
        if isinstance(sentence, str):
            sentence = Said(sentence, self.leans if isinstance(self.leans, Leaning) else self.leans(value))
        return sentence if sentence.words else None

    def _opposite(self) -> Leaning:
        """Return the opposite direction, for the absence of a fact."""
        return Leaning(-self.leans) if isinstance(self.leans, Leaning) else self.leans(0.0)


@dataclass(frozen=True, slots=True)
class Decided:
    """The sentence about "decided posts …" of features that depend on human decisions.

    It tells a share from three of them on, otherwise the counts. The number comes from the record, never from
    the feature's value, which a prior may have shrunk.
    """

    subject: str
    past: Finds
    tail: str = ""

    def of(self, value: float, record: PostRecord) -> Said | None:
        """Return the sentence, None if nothing was decided or the feature is unknown."""
        past = self.past(record)
        if past is None or not math.isfinite(value):
            return None
        spam, fine = past.history.confirmed_spam, past.history.confirmed_not_spam
        if not spam + fine:
            return None
        return Said(self._words(spam, fine), _of_decisions(spam, fine), past.counted, past.domain)

    def _words(self, spam: int, fine: int) -> str:
        if spam + fine < FEWEST_OF_A_SHARE:
            return gettext(f"Among {self.subject}: {{}}").format(_few(spam, fine))
        one, many = (f"{{}} of {{}} {self.subject} {verb} spam{self.tail}" for verb in ("was", "were"))
        return ngettext(one, many, 1 if spam == 1 else 2).format(count(spam), count(spam + fine))


def things(one: str, many: str, tail: str = "") -> Says:
    """Format a count with its noun and the rest of the sentence, translated as a whole."""
    return lambda value, _: counted(value, f"{one}{tail}", f"{many}{tail}")


def of_complaints(tail: str, past: Finds) -> Sentence:
    """Count the complaints about earlier posts; `tail` says which posts they are."""
    says, zero = things("complaint", "complaints", tail), f"No complaints{tail}"
    return Sentence(says, zero, leans=Leaning.SPAM, past=past, measure=lambda history, _: history.complaints)


def of_last_day(tail: str, past: Finds) -> Sentence:
    """Count the earlier posts of the previous 24 hours; `tail` says which."""
    period = f"{tail} in the previous 24 hours"
    says, zero = things("post", "posts", period), f"No other posts{period}"
    return Sentence(says, zero, leans=Leaning.SPAM, past=past, measure=lambda history, _: history.posts_24h)


def share(text: str) -> Says:
    """Format a probability, or a share of characters, as per cent; never a share of decisions."""
    return lambda value, _: gettext(text).format(percent(value))


def days(text: str) -> Says:
    """Format a number of days as a duration."""
    return lambda value, _: gettext(text).format(duration(value * 86_400))


def hours(text: str) -> Says:
    """Format a number of hours as a duration."""
    return lambda value, _: gettext(text).format(duration(value * 3_600))


def seconds(text: str) -> Says:
    """Format a number of seconds as a duration."""
    return lambda value, _: gettext(text).format(duration(value))


def number(text: str) -> Says:
    """Format a plain number."""
    return lambda value, _: gettext(text).format(count(value))


def flag(text: str) -> Says:
    """State a fact if the value is true; no sentence otherwise."""
    return lambda _value, _record: gettext(text)


def either_side(at: float, *, above: str, below: str) -> Says:
    """State on which side of a midpoint a model's value is; above it means spam."""
    return lambda value, _: (
        Said(gettext(above), Leaning.SPAM) if value >= at else Said(gettext(below), Leaning.HONEST)
    )


def from_least(least: float, says: Says) -> Says:
    """State a value from here on; smaller ones are usual and say nothing."""
    return lambda value, record: says(value, record) if value >= least else ""


def days_known(history: History, record: PostRecord) -> float:
    """Days from the first sight to the post, as the features count them: never below 0."""
    if history.first_seen_at is None:
        return 0.0
    return max(0.0, (record.posted_at - history.first_seen_at) / timedelta(days=1))


def young(below: float, *, old: float) -> Callable[[float], Leaning]:
    """Younger than `below` means spam, older than `old` the opposite."""
    return lambda value: Leaning.SPAM if value < below else Leaning.HONEST if value >= old else Leaning.EITHER


def many(honest_from: float) -> Callable[[float], Leaning]:
    """A number from here on means not spam, a smaller one neither."""
    return lambda value: Leaning.HONEST if value >= honest_from else Leaning.EITHER


def author(record: PostRecord) -> Past | None:
    """Return the author's earlier posts."""
    return Past(Counted.AUTHOR, record.author_history)


def address(record: PostRecord) -> Past | None:
    """Return the earlier posts from the address, None if none was sent."""
    return None if record.ip is None else Past(Counted.ADDRESS, record.ip_history)


def network(record: PostRecord) -> Past | None:
    """Return the earlier posts from the address's network."""
    return None if record.ip is None else Past(Counted.NETWORK, record.ip_network_history)


def provider(record: PostRecord) -> Past | None:
    """Return the earlier posts from the address's autonomous system."""
    return None if record.ip_asn is None else Past(Counted.PROVIDER, record.ip_asn_history)


def mail(record: PostRecord) -> Past | None:
    """Return the earlier posts under the author's mail domain."""
    return Past(Counted.MAIL, record.email_domain_history) if record.author.email_domain else None


def similar(record: PostRecord) -> Past | None:
    """Return the earlier near-duplicates."""
    return Past(Counted.SIMILAR, record.similar)


def resembling(record: PostRecord) -> Past | None:
    """Return the earlier posts of other accounts that look like the author's."""
    return Past(Counted.RESEMBLING, record.resembling)


def linked(worst: Callable[[History], float]) -> Finds:
    """Return the earlier posts that link to the domain whose history has most of a measure."""

    def find(record: PostRecord) -> Past | None:
        if not record.links:
            return None
        link = max(record.links, key=lambda candidate: worst(candidate.domain_history))
        return Past(Counted.DOMAIN, link.domain_history, link.domain or link.host)

    return find


def _few(spam: int, fine: int) -> str:
    verdicts = ((gettext("{} spam"), spam), (gettext("{} not spam"), fine))
    return ", ".join(words.format(count(verdict)) for words, verdict in verdicts if verdict)


def _of_decisions(spam: int, fine: int) -> Leaning:
    if not spam:
        return Leaning.HONEST
    return Leaning.SPAM if spam / (spam + fine) >= _SUSPECT_SHARE else Leaning.EITHER
