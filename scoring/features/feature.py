"""The class Feature, the trained models that some features ask, and measures that several files share."""

import functools
import math
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Self

from scoring.journeys import JOURNEYS_FILE, JourneyModel
from scoring.known_domains import is_open, is_popular
from scoring.links import MAX_LINKS
from scoring.records import History, Link, PostRecord
from scoring.urls import URLS_FILE, UrlModel

UNKNOWN = math.nan
MODEL_FILES = (URLS_FILE, JOURNEYS_FILE)
MOST_HOPS = 5
# Lowest and highest value by unit; other values are at least 0.
_RANGES = {
    **dict.fromkeys(("share", "flag", "0 or 1", "probability", "score"), (0.0, 1.0)),
    **dict.fromkeys(("links", "domains"), (0.0, float(MAX_LINKS))),
    "addresses": (0.0, float(MOST_HOPS)),
    "points": (0.0, 100.0),
    "nats/step": (-math.inf, math.inf),
}

# Honest decisions on a domain that vouch for links to it; one of spam cancels five.
_VOUCHED_BY = 3
_SPAM_UNDOES = 5
# Popular sites forward to addresses in their query: google.com/url?q=https%3A//...
_FORWARDS = re.compile(r".https?(?::|%3a)", re.IGNORECASE)

# A beta prior worth five decisions, one in ten of them spam: thin evidence stays near 0.1.
_PRIOR_SPAM = 0.5
_PRIOR_NOT_SPAM = 4.5

_SECONDS_PER_DAY = 86_400.0


class Evidence(StrEnum):
    """What a feature can prove: the ensemble bounds how far some may move a post (scoring/weak_evidence.py).

    Why is said in docs/adr/0019-circumstances-do-not-excuse.md and, of links, in
    0034-links-have-a-share-of-their-own.md.
    """

    PROOF = "decisions, complaints, lists and URL patterns stand behind it"
    CIRCUMSTANCE = "suspicious, but no proof: most new accounts, copies and pasted texts are honest"
    IN_TEXT = "the same, but read from the text itself, so that real texts teach it"
    SHOWN = "people are shown it and no tree reads it: it says nothing, or could only excuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The URL and journey models of a release; a feature whose model is missing is unknown."""

    urls: UrlModel | None = None
    journeys: JourneyModel | None = None

    @classmethod
    def load(cls, folder: Path, *, files: Collection[str]) -> Self:
        """Load the feature models among a release's files. Raises Corrupt if one is damaged."""
        return cls(
            urls=UrlModel.load(folder) if URLS_FILE in files else None,
            journeys=JourneyModel.load(folder) if JOURNEYS_FILE in files else None,
        )


NO_MODELS = Models()


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A named number computed from a record; NaN means unknown. What it can prove is little unless told.

    A plain feature has `compute`; one that uses a trained model of the release has `judge` instead. With a
    `direction` of +1, unless told otherwise, a larger value never lowers the margin, with -1 it never raises
    it; with 0 the trees decide. It says nothing of features that are only SHOWN. `version` is raised when its
    computation changes: trees fitted on another version must not read it. `mission_name` is its name in the
    product's requirements, if it has one.
    """

    name: str
    unit: str
    meaning: str
    why: str
    evidence: Evidence = Evidence.CIRCUMSTANCE
    direction: int = +1
    compute: Callable[[PostRecord], float] | None = None
    judge: Callable[[PostRecord, Models], float] | None = None
    mission_name: str = ""
    version: int = 1

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the lowest and the highest value, by the unit."""
        return _RANGES.get(self.unit, (0.0, math.inf))

    def value(self, record: PostRecord, *, models: Models) -> float:
        """Return the feature of a record, NaN if unknown."""
        if self.judge is not None:
            return self.judge(record, models)
        return UNKNOWN if self.compute is None else self.compute(record)


ProofFeature = functools.partial(Feature, evidence=Evidence.PROOF)


def shrunk_spam_share(history: History) -> float:
    """Share of confirmed spam among human decisions, shrunk to 0.1 while there are few; in (0, 1)."""
    return _shrunk(history.confirmed_spam, history.confirmed_not_spam)


def suspected_share(history: History) -> float:
    """The same share, at least 0.1: the honest past of something public excuses nobody."""
    return max(shrunk_spam_share(History()), shrunk_spam_share(history))


def unvouched(record: PostRecord) -> tuple[Link, ...]:
    """Return the links whose site is neither widely known nor confirmed as honest by people here."""
    return tuple(link for link in record.links if not _is_vouched_for(link))


def recent_spam_share(history: History) -> float:
    """The same share with old decisions counting less, so that it returns to 0.1 without new decisions.

    In (0, 1).
    """
    return _shrunk(history.recent_spam, history.recent_not_spam)


def unblamed_posts(history: History) -> int:
    """Count earlier posts except confirmed spam: more spam must never look like a longer good history."""
    return max(0, history.posts - history.confirmed_spam)


def lowest(values: Iterable[float]) -> float:
    """Return the lowest of the known values, NaN if none is known."""
    return min((value for value in values if not math.isnan(value)), default=UNKNOWN)


def highest(values: Iterable[float]) -> float:
    """Return the highest of the known values, NaN if none is known."""
    return max((value for value in values if not math.isnan(value)), default=UNKNOWN)


def days_between(earlier: datetime | None, later: datetime) -> float:
    """Days from `earlier` to `later`, 0 when the platform's clock ran ahead of ours; NaN if `earlier` is
    unknown.
    """
    if earlier is None:
        return UNKNOWN
    return max(0.0, (later - earlier).total_seconds() / _SECONDS_PER_DAY)


def days_known(history: History, *, before: datetime) -> float:
    """Days since the first sight of an author, address or domain; 0 if new.

    `before` is when the post was written, not when it is scored: otherwise a waiting post would look more
    honest with every minute.
    """
    return 0.0 if history.first_seen_at is None else days_between(history.first_seen_at, before)


def number_or_unknown(number: float | None) -> float:
    """Return the number as sent, NaN if the platform did not send it."""
    return UNKNOWN if number is None else float(number)


def _is_vouched_for(link: Link) -> bool:
    """Anybody can link to a known site, so a shortener or a free host must not pass."""
    if _is_widely_known(link.url, (link.host, *link.hops)):
        return True
    history = link.domain_history
    confirmed = history.confirmed_not_spam - _SPAM_UNDOES * history.confirmed_spam >= _VOUCHED_BY
    return confirmed and not (link.hops or is_open(link.host))


@functools.lru_cache(maxsize=16_384)
def _is_widely_known(url: str, hosts: tuple[str, ...]) -> bool:
    return all(map(is_popular, hosts)) and not _FORWARDS.search(url)


def _shrunk(spam: float, not_spam: float) -> float:
    return (spam + _PRIOR_SPAM) / (spam + not_spam + _PRIOR_SPAM + _PRIOR_NOT_SPAM)
