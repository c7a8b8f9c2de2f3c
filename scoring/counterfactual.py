"""Counterfactuals: the smallest single change that would have changed the route of a post.

A change alters the post or its history; it never adds events. For a post more likely spam than not only
changes that lower the probability count. Found by search: every allowed change gives a changed record, and
the models judge it. The number of tries is bounded (MAX_TRIES), whatever the post. The words for users are in
moderation.
"""

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Self

import numpy as np

from scoring import routing
from scoring.links import links_in
from scoring.pipeline import ContentProtocol, Scorer
from scoring.readings import HeadedContent
from scoring.records import History, PostRecord
from scoring.release import Thresholds
from scoring.routing import Route
from scoring.trees import Floats

MAX_WORDS = 40
MAX_DOMAINS = 5
_AT_ONCE = 8
_OLDER_DAYS = (7.0, 30.0, 90.0, 365.0, 1825.0)
_NEWER_DAYS = (30.0, 7.0, 1.0)
MAX_TRIES = MAX_WORDS + MAX_DOMAINS + len(_OLDER_DAYS) + len(_NEWER_DAYS) + 7


class Change(StrEnum):
    """The kinds of changes that are tried, each understandable to a moderator."""

    WORD_REMOVED = "word_removed"
    DOMAIN_NOT_SEEN = "domain_not_seen"
    ACCOUNT_OLDER = "account_older"
    ACCOUNT_NEWER = "account_newer"
    FEWER_COMPLAINTS = "fewer_complaints"
    AUTHOR_WITHOUT_SPAM = "author_without_spam"
    AUTHOR_VERIFIED = "author_verified"
    AUTHOR_NOT_VERIFIED = "author_not_verified"
    ADDRESS_WITHOUT_SPAM = "address_without_spam"
    TEXT_NOT_REPEATED = "text_not_repeated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterfactual:
    """A change and what it leads to: the new spam probability and route, by thresholds alone.

    `subject` is the word or domain concerned, else empty; [start, end) is a word's place in the raw text.
    The values are days of account age, or counts; None where there is no number to tell.
    """

    change: Change
    subject: str = ""
    start: int | None = None
    end: int | None = None
    value_before: float | None = None
    value_after: float | None = None
    probability: float
    route: Route

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values, as stored with a score."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """Read what to_json wrote. Raises KeyError, TypeError or ValueError where it is something else."""
        return cls(**{**stored, "change": Change(stored["change"]), "route": Route(stored["route"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    """A changed record; `size` counts the steps that the change takes on its own scale, 1 the smallest."""

    change: Change
    record: PostRecord
    size: int = 1
    subject: str = ""
    span: tuple[int, int] | None = None
    before: float | None = None
    after: float | None = None


def find(
    record: PostRecord,
    *,
    scorer: Scorer,
    content_probability: float | None,
    words: Sequence[tuple[int, int]],
    read: Floats | None = None,
    content: ContentProtocol | None = None,
) -> Counterfactual | None:
    """Return the smallest change that alters the route, None if no single allowed one does.

    The route must alter in whole per cent as well, which is all that people see. If spam is more likely than
    not, only a change that makes it less likely counts.

    The smallest takes the fewest steps on its own scale (one word; a week of age, then a month); of equals
    the one that moves the probability least. `content_probability` is the record's own, None if unknown; then
    no word is tried. `read` (3,) is what was read of its evidence, which no change touches. `words` are
    character ranges in the raw text, the likeliest first; at most 40 are tried, eight at once, until none of
    eight alters the route. The audit sample is ignored. `content` is asked instead of the scorer's own
    content model. Raises content.Unavailable.
    """
    unchanged = math.nan if content_probability is None else content_probability
    model = scorer.content_on(record.platform, content=content)
    thresholds = scorer.release.thresholds_on(record.platform)

    def flipping(tries: Sequence[_Try]) -> list[tuple[int, float, Counterfactual]]:
        contents = np.array([unchanged, *_content_probabilities(tries, content=model, unchanged=unchanged)])
        records = [record, *(trial.record for trial in tries)]
        reads = None if read is None else np.tile(read, (len(records), 1))
        chances, (route_before, *routes) = scorer.routed(records, content_probabilities=contents, read=reads)
        before, *after = chances.tolist()
        return [
            (trial.size, abs(probability - before), _told(trial, probability=probability, route=route))
            for trial, probability, route in zip(tries, after, routes, strict=True)
            if route is not route_before and _explains(before, probability, thresholds=thresholds)
        ]

    flips = flipping([*_facts(record)])
    tried = [] if math.isnan(unchanged) else [*_words(record, words=words)]
    for start in range(0, len(tried), _AT_ONCE):
        of_words = flipping(tried[start : start + _AT_ONCE])
        if not of_words:  # the words that follow weigh less
            break
        flips += of_words
    return min(flips, key=lambda flip: flip[:2])[-1] if flips else None


def _content_probabilities(tries: Sequence[_Try], *, content: HeadedContent, unchanged: float) -> list[float]:
    """Query the content model for the changed texts only, in one call."""
    texts = [trial.record.text if trial.span is not None else "" for trial in tries]
    asked = [text for text in texts if text.strip()]
    answers = dict(zip(asked, content.probabilities(asked) if asked else (), strict=True))
    return [
        unchanged if trial.span is None else float(answers.get(text, math.nan))
        for trial, text in zip(tries, texts, strict=True)
    ]


def _explains(before: float, after: float, *, thresholds: Thresholds) -> bool:
    if before >= routing.NO_OPINION and after > before:
        return False
    return _shown_side(before, thresholds=thresholds) != _shown_side(after, thresholds=thresholds)


def _shown_side(probability: float, *, thresholds: Thresholds) -> int:
    """Return how many thresholds a probability reaches, all in whole per cent."""
    hundredths = routing.hundredth(probability)
    bounds = (thresholds.review_from, thresholds.remove_from)
    return sum(hundredths >= routing.hundredth(bound) for bound in bounds)


def _told(one: _Try, *, probability: float, route: Route) -> Counterfactual:
    start, end = one.span or (None, None)
    return Counterfactual(
        change=one.change,
        subject=one.subject,
        start=start,
        end=end,
        value_before=one.before,
        value_after=one.after,
        probability=probability,
        route=route,
    )


def _words(record: PostRecord, *, words: Sequence[tuple[int, int]]) -> Iterator[_Try]:
    linked_before = {link.url for link in links_in(record.text)}
    for start, end in words[:MAX_WORDS]:
        text = record.text[:start] + record.text[end:]
        lost_urls = linked_before - {link.url for link in links_in(text)}
        links = tuple(link for link in record.links if link.url not in lost_urls)
        yield _Try(
            change=Change.WORD_REMOVED,
            record=dataclasses.replace(record, text=text, links=links),
            subject=record.text[start:end],
            span=(start, end),
        )


def _facts(record: PostRecord) -> Iterator[_Try]:
    """Yield every change that leaves the text alone."""
    yield from _domains(record)
    yield from _account_age(record)
    yield from _complaints(record)
    yield from _standing(record)


def _domains(record: PostRecord) -> Iterator[_Try]:
    names = dict.fromkeys(link.domain or link.host for link in record.links)
    for name in list(names)[:MAX_DOMAINS]:
        of_name = [link for link in record.links if (link.domain or link.host) == name]
        if all(link.domain_history == History() for link in of_name):
            continue
        links = tuple(
            dataclasses.replace(link, domain_history=History(), url_posts=0, author_posts=0)
            if link in of_name
            else link
            for link in record.links
        )
        yield _Try(
            change=Change.DOMAIN_NOT_SEEN,
            record=dataclasses.replace(record, links=links),
            subject=name,
            before=float(max(link.domain_history.posts for link in of_name)),
            after=0.0,
        )


def _account_age(record: PostRecord) -> Iterator[_Try]:
    created_at = record.author.created_at
    if created_at is None:
        return
    age = (record.at - created_at) / timedelta(days=1)
    ages = [(Change.ACCOUNT_OLDER, size, age + days) for size, days in enumerate(_OLDER_DAYS, start=1)]
    ages += [
        (Change.ACCOUNT_NEWER, size, days) for size, days in enumerate(_NEWER_DAYS, start=1) if days < age
    ]
    for change, size, days in ages:
        author = dataclasses.replace(record.author, created_at=record.at - timedelta(days=days))
        yield _Try(
            change=change,
            record=dataclasses.replace(record, author=author),
            size=size,
            before=age,
            after=days,
        )


def _complaints(record: PostRecord) -> Iterator[_Try]:
    count = len(record.complaints)
    # The last ones are taken away first.
    for size, remainder in enumerate(sorted({count - 1, count // 2, 0} - {count, -1}, reverse=True), start=1):
        yield _Try(
            change=Change.FEWER_COMPLAINTS,
            record=dataclasses.replace(record, complaints=record.complaints[:remainder]),
            size=size,
            before=float(count),
            after=float(remainder),
        )


def _standing(record: PostRecord) -> Iterator[_Try]:
    """Yield changes of the history of the author, the address and near-duplicates."""
    if record.author.is_verified is not None:
        author = dataclasses.replace(record.author, is_verified=not record.author.is_verified)
        yield _Try(
            change=Change.AUTHOR_NOT_VERIFIED if record.author.is_verified else Change.AUTHOR_VERIFIED,
            record=dataclasses.replace(record, author=author),
        )
    if record.author_history.confirmed_spam or record.author_history.complaints:
        yield _Try(
            change=Change.AUTHOR_WITHOUT_SPAM,
            record=dataclasses.replace(record, author_history=_clean(record.author_history)),
            before=float(record.author_history.confirmed_spam),
            after=0.0,
        )
    addresses = (record.ip_history, record.ip_network_history)
    if any(history.confirmed_spam or history.complaints for history in addresses):
        address, network = map(_clean, addresses)
        yield _Try(
            change=Change.ADDRESS_WITHOUT_SPAM,
            record=dataclasses.replace(record, ip_history=address, ip_network_history=network),
            before=float(record.ip_history.confirmed_spam),
            after=0.0,
        )
    if record.similar.posts or record.same_text_by_author:
        yield _Try(
            change=Change.TEXT_NOT_REPEATED,
            record=dataclasses.replace(record, similar=History(), same_text_by_author=0),
            before=float(record.similar.posts),
            after=0.0,
        )


def _clean(history: History) -> History:
    return dataclasses.replace(
        history,
        confirmed_spam=0,
        complaints=0,
        recent_spam=0.0,
        spam_days=0,
        spam_authors=0,
        spam_complaints=0,
    )
