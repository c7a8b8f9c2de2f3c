"""The rows of the promise about posts: links, curated posts, sources, attacks, circumstances, languages."""

import dataclasses
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from scoring.pipeline import Scorer
from scoring.records import History, PostRecord
from scoring.routing import Route
from scoring.trees import Floats
from training import added_links, evaluate, promise, served_content
from training.attacks import ATTACKS, attacked
from training.labelled_posts import LabelledPost
from training.promise import Outcome, Row, Rows, measured

AREA = "{:.3f}"
LEAST_OF_EACH = 10
"""Least number of spam and of other texts, or of texts that an attack touches."""
_UNCHANGED = {added_links.POPULAR: 0.95, added_links.SMALL: 0.92}
_WORSE = 0.005
_COPIES = 20
_ATTACKED_SHARE = 6
_ORDER = (Route.ALLOW, Route.REVIEW, Route.REMOVE)


def of_added_links(posts: Sequence[LabelledPost], *, scorer: Scorer, popular: Path | None) -> Iterator[Row]:
    """Measure how many honest texts without a link keep their route when one is added."""
    same = added_links.unchanged(
        posts,
        links=added_links.links(len(posts), seed=1, popular=popular),
        scorer=scorer,
        ask=lambda texts: served_content.ask(texts, content=scorer.content),
    )
    for kind, least in _UNCHANGED.items():
        title = f"honest posts, {kind} link added: route unchanged"
        yield measured(title, range(len(posts)), _mean_of(same[kind]), least=least)


def of_linked(
    name: str, posts: Sequence[LabelledPost], *, scorer: Scorer, removed_at_most: float
) -> Iterator[Row]:
    """Measure the outcome of the posts with links."""
    outcome = promise.outcome_of([post for post in posts if post.record.links], scorer=scorer)
    for what, is_spam, measure, most in (
        ("honest posts with links: held", False, promise.held, 0.2),
        ("honest posts with links: removed", False, _removed, removed_at_most),
        ("spam posts with links: let through", True, promise.let_through, 0.05),
    ):
        part = outcome.taken(np.flatnonzero(outcome.is_spam == is_spam))
        yield measured(f"{name} {what}", part.groups, _of(part, measure), most=most)


def of_curated(posts: Sequence[LabelledPost], *, scorer: Scorer) -> Iterator[Row]:
    """Measure posts of today's kinds; the interval is over families."""
    outcome = promise.outcome_of(posts, scorer=scorer)
    rows: tuple[tuple[str, Callable[[Outcome], float], dict[str, Any]], ...] = (
        ("honest held", promise.held, {"most": 0.2}),
        ("spam let through", promise.let_through, {"most": 0.08}),
        ("spam removed by itself", _spam_removed, {"least": 0.4}),
        ("precision of that", promise.removal_precision, {"least": 0.98}),
        ("ROC-AUC of content", _content_area, {"least": 0.9, "form": AREA}),
    )
    for what, measure, bounds in rows:
        yield measured(f"curated posts: {what}", outcome.groups, _of(outcome, measure), **bounds)


def of_sources(
    posts: Sequence[LabelledPost], *, scorer: Scorer, before: Mapping[str, float]
) -> Iterator[Row]:
    """Measure content on each source that it was trained on; the promise is relative to an earlier run."""
    content = served_content.ask([post.record.text for post in posts], content=scorer.content)
    for source in sorted({post.source for post in posts}):
        places = [place for place, post in enumerate(posts) if post.source == source]
        labels = np.array([posts[place].is_spam for place in places], dtype=np.float64)
        groups = [posts[place].group for place in places]
        for figure, measure in evaluate.METRICS.items():
            title = f"{source}: {figure} of content"
            least = before.get(title, -math.inf) - _WORSE
            ranking = _ranking(measure, labels, content[places])
            yield measured(title, groups, ranking, form=AREA, least=least)


def of_attacks(posts: Sequence[LabelledPost], *, scorer: Scorer, most: int) -> Iterator[Row]:
    """Measure the recall of content that the worst disguise costs, on spam that it touches."""
    spam = sampled([post for post in posts if post.is_spam], most=most // _ATTACKED_SHARE)
    texts = [post.record.text for post in spam]
    rows = []
    for attack in ATTACKS:
        disguised = [attacked(text, attack=attack, seed=1) for text in texts]
        places = [place for place, text in enumerate(texts) if disguised[place] != text]
        before, after = (
            served_content.ask([version[place] for place in places], content=scorer.content) >= 0.5
            for version in (texts, disguised)
        )
        if len(places) >= LEAST_OF_EACH:
            lost = before.astype(np.float64) - after
            groups = [spam[place].group for place in places]
            title = "attacks: recall that the worst costs"
            rows.append(measured(title, groups, _mean_of(lost), most=0.05, note=attack))
    yield from sorted(rows, key=lambda row: row.value)[-1:]


def in_circumstances(posts: Sequence[LabelledPost], *, scorer: Scorer) -> Iterator[Row]:
    """Measure each promise in the circumstance in which it fares worst."""
    outcomes = promise.outcomes_of(posts, scorer=scorer, seed=1)
    for pledge, worst in zip(promise.PROMISES, promise.worst(outcomes), strict=True):
        outcome = outcomes[worst.circumstance]
        yield measured(
            f"in ten circumstances: {pledge.title}",
            outcome.groups,
            _of(outcome, pledge.measure),
            form=pledge.form,
            note=worst.circumstance,
            **{"least" if pledge.higher_is_better else "most": pledge.bound},
        )


def of_copies(posts: Sequence[LabelledPost], *, scorer: Scorer) -> Iterator[Row]:
    """Count the sure spam that is judged more mildly as copy 20 than as copy 1, by its author or by many."""
    content = served_content.ask([post.record.text for post in posts], content=scorer.content)
    sure = [place for place, post in enumerate(posts) if post.is_spam and content[place] >= promise.SURE]
    first = [posts[place].record for place in sure]
    copies = [first, *([_copy(record, authors=authors) for record in first] for authors in (1, _COPIES - 1))]
    milder = np.zeros(len(sure), dtype=np.bool_)
    if sure:
        (scores, routed), *later = (_judged(records, content[sure], scorer=scorer) for records in copies)
        for their_said, their_routed in later:
            milder |= (their_said < scores - 1e-9) | (their_routed < routed)
    groups = [posts[place].group for place in sure]
    title = f"sure spam: copy {_COPIES} below copy 1"
    yield measured(title, groups, lambda rows: float(milder[rows].sum()), form="{:.0f}", most=0.0)


def by_language(posts: Sequence[LabelledPost], *, scorer: Scorer) -> Iterator[str]:
    """Write a table of the languages and sources with enough texts, and count the others."""
    outcome = promise.outcome_of(posts, scorer=scorer)
    kinds = defaultdict(list)
    for place, post in enumerate(posts):
        kinds[post.language, post.source].append(place)
    yield "| language | source | texts (spam) | ROC-AUC of content | honest held | spam let through |"
    yield "|---|---|---|---|---|---|"
    unknown = []
    for (language, source), places in sorted(kinds.items(), key=lambda item: -len(item[1])):
        part = outcome.taken(np.array(places))
        spam = int(part.is_spam.sum())
        if min(spam, len(places) - spam) < LEAST_OF_EACH:
            unknown.append(f"{language} ({source}) {len(places)}")
            continue
        area = measured("", part.groups, _of(part, _content_area), form=AREA)
        yield (
            f"| {language} | {source} | {len(places):,} ({spam:,}) | {told(area)} "
            f"| {promise.held(part):.1%} | {promise.let_through(part):.1%} |"
        )
    if unknown:
        yield f"\nFewer than {LEAST_OF_EACH} spam or other texts, so not known: {', '.join(unknown)}."


def told(row: Row) -> str:
    """Return a figure with its interval."""
    return f"{row.said(row.value)} ({row.said(row.low)} to {row.said(row.high)})"


def sampled(posts: Sequence[LabelledPost], *, most: int) -> list[LabelledPost]:
    """Draw at most this many posts, in their order; always the same."""
    places = np.random.default_rng(1).permutation(len(posts))[:most]
    return [posts[place] for place in sorted(places.tolist())]


def _judged(records: Sequence[PostRecord], content: Floats, *, scorer: Scorer) -> tuple[Floats, Floats]:
    """Return probabilities, and places of the routes from allow to remove."""
    probabilities, routes = scorer.routed(records, content_probabilities=content)
    return probabilities, np.array([_ORDER.index(route) for route in routes], dtype=np.float64)


def _copy(record: PostRecord, *, authors: int) -> PostRecord:
    """Return the post as a copy of undecided ones of the same day."""
    past = History(
        posts=_COPIES - 1,
        posts_24h=_COPIES - 1,
        authors=authors,
        first_seen_at=record.posted_at - timedelta(hours=20),
    )
    if authors > 1:
        return dataclasses.replace(record, similar=past)
    return dataclasses.replace(record, similar=past, author_history=past, same_text_by_author=_COPIES - 1)


def _ranking(
    measure: Callable[[Floats, Floats], float], labels: Floats, said: Floats
) -> Callable[[Rows], float]:
    return lambda rows: measure(labels[rows], said[rows])


def _of(outcome: Outcome, measure: Callable[[Outcome], float]) -> Callable[[Rows], float]:
    return lambda rows: measure(outcome.taken(rows))


def _mean_of(values: promise.Bools | Floats) -> Callable[[Rows], float]:
    return lambda rows: promise.share(values[rows])


def _removed(outcome: Outcome) -> float:
    return promise.share(outcome.is_removed)


def _spam_removed(outcome: Outcome) -> float:
    return promise.share(outcome.is_removed[outcome.is_spam])


def _content_area(outcome: Outcome) -> float:
    return promise.roc_auc(outcome.is_spam, outcome.content)
