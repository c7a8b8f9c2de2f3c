"""Honest texts without a link, each with an everyday link added: which of them are then routed otherwise?"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring import gate
from scoring.pipeline import ContentProtocol, Scorer
from scoring.release import Release
from scoring.trees import Floats
from training import everyday_urls, labelled_posts, served_content
from training.labelled_posts import LabelledPost, with_text

POPULAR, SMALL = "popular", "small"
_SEED = 1
_POPULAR_KINDS = ("front page", "news", "encyclopedia", "shop", "video and music")
_SMALL_KIND = "small site"

Ask = Callable[[Sequence[str]], Floats]


class Refused(Exception):
    """A link changes the routes of too many honest texts; the message says how many."""


def check(release: Release, *, content: ContentProtocol) -> None:
    """Raise Refused if links change too many routes of the curated honest texts, or content.Unavailable."""
    posts = honest_without_link(labelled_posts.kept_out())
    same = unchanged(
        posts,
        links=links(len(posts), seed=_SEED),
        scorer=Scorer(release=release, content=content),
        ask=lambda texts: served_content.ask(texts, content=content),
    )
    findings = [gate.link_finding(kind, float(mask.mean()), texts=len(posts)) for kind, mask in same.items()]
    if wrong := [f"{finding.question}: {finding.answer}" for finding in findings if not finding.passed]:
        raise Refused("; ".join(wrong))


def honest_without_link(posts: Sequence[LabelledPost]) -> list[LabelledPost]:
    """Return the texts that a link can be added to."""
    return [post for post in posts if not post.is_spam and not post.record.links and post.record.text.strip()]


def links(count: int, *, seed: int, popular: Path | None = None) -> dict[str, list[str]]:
    """Write so many links to popular and to small sites, by pattern. Popular domains stand in a file, one per
    line, or else are some well-known ones; none is open to anyone.
    """
    sites = everyday_urls.popular_domains(popular) if popular else everyday_urls.well_known()
    popular_sites, generator = set(sites), np.random.default_rng(seed)
    everyday = everyday_urls.write(sites, generator=generator, urls_per_kind=count)
    by_kind = {
        POPULAR: [
            link.url for link in everyday if link.pattern in _POPULAR_KINDS and link.domain in popular_sites
        ],
        SMALL: [link.url for link in everyday if link.pattern == _SMALL_KIND],
    }
    return {kind: np.resize(generator.permutation(urls), count).tolist() for kind, urls in by_kind.items()}


def unchanged(
    posts: Sequence[LabelledPost], *, links: Mapping[str, Sequence[str]], scorer: Scorer, ask: Ask
) -> dict[str, NDArray[np.bool_]]:
    """Return by kind of link which posts keep their route, bool (n,), with one link each; `ask` is content.

    Raises content.Unavailable.
    """
    bare = [post.record for post in posts]
    before = scorer.routes(bare, content_probabilities=ask([record.text for record in bare]))
    by_kind = {}
    for kind, urls in links.items():
        linked = [
            with_text(record, f"{record.text} {url.replace('http://', 'https://', 1)}")
            for record, url in zip(bare, urls, strict=True)
        ]
        after = scorer.routes(linked, content_probabilities=ask([record.text for record in linked]))
        by_kind[kind] = np.array([first is second for first, second in zip(before, after, strict=True)])
    return by_kind
