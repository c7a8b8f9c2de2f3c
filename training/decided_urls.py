"""Links of decided posts as labelled URLs: labels of domains from decisions on posts.

A post is judged for more than its link: of 14 comments that link to google.com all may be spam. So a domain
is labelled only by several agreeing decisions, and a popular domain is never labelled bad.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scoring.known_domains import open_domains
from scoring.splits import Split, split_of
from training import everyday_urls, labelled_lines, labelled_posts
from training.labelled_lines import MOST_TRAINING_WEIGHT, Malformed, Origin
from training.labelled_urls import BENIGN, LabelledUrl

KIND = "decided spam"
LEAST_GROUPS = 3
"""Groups of near-duplicates that must agree on a domain: a campaign is one observation, however large."""
LEAST_SHARE = 0.9
"""Share of the weight of a domain's decisions that must agree."""
LEAST_DOMAINS = 8
"""Minimum domains per class."""
_MOST_URLS = 50


class TooFew(ValueError):
    """Decisions agree on fewer than LEAST_DOMAINS domains of either class."""


@dataclass
class _Domain:
    """Decisions on posts that link to a domain: the heaviest weight of each group, by verdict."""

    urls: dict[str, None] = field(default_factory=dict)
    spam: dict[str, float] = field(default_factory=dict)
    honest: dict[str, float] = field(default_factory=dict)


def load(paths: Sequence[Path], *, popular: Path) -> list[LabelledUrl]:
    """Return the URLs of domains that decisions agree on.

    Left out are domains of the list `popular` that decisions call spam, domains where anybody publishes,
    posts of the test part, and decisions that represent no other post. Raises labelled_lines.Malformed, also
    for simulated records, and TooFew.
    """
    known, shared = {*everyday_urls.popular_domains(popular)}, open_domains()
    labelled = [
        url
        for name, domain in sorted(_domains(paths).items())
        if name not in shared and ((kind := _kind(domain)) == BENIGN or (kind and name not in known))
        for url in _urls(domain, domain=name, kind=kind)
    ]
    counts = [len({url.domain for url in labelled if url.is_bad is is_bad}) for is_bad in (True, False)]
    if min(counts) < LEAST_DOMAINS:
        raise TooFew(
            f"decisions agree on {counts[0]} domains as spam and {counts[1]} as honest; at least "
            f"{LEAST_DOMAINS} of each are needed, each by {LEAST_GROUPS} posts that are no near-duplicates"
        )
    return labelled


def _domains(paths: Sequence[Path]) -> dict[str, _Domain]:
    domains: dict[str, _Domain] = defaultdict(_Domain)
    for line in labelled_lines.read_all(paths):
        if line.origin is Origin.SIMULATED:
            raise Malformed(f"{line.where}: a simulated record: its links are made up")
        post = labelled_posts.of_line(line)
        if post.weight <= 0.0 or split_of(post.group) is Split.TEST:
            continue
        for link in post.record.links:
            if link.domain:
                domain = domains[link.domain]
                domain.urls[link.url] = None
                groups = domain.spam if post.is_spam else domain.honest
                groups[post.group] = max(groups.get(post.group, 0.0), min(post.weight, MOST_TRAINING_WEIGHT))
    return domains


def _kind(found: _Domain) -> str:
    """Return the label of a domain, "" if its decisions are too few or disagree."""
    spam, honest = sum(found.spam.values()), sum(found.honest.values())
    for groups, weight, kind in ((found.spam, spam, KIND), (found.honest, honest, BENIGN)):
        if len(groups) >= LEAST_GROUPS and weight >= LEAST_SHARE * (spam + honest):
            return kind
    return ""


def _urls(found: _Domain, *, domain: str, kind: str) -> list[LabelledUrl]:
    return [LabelledUrl(url=url, domain=domain, kind=kind) for url in list(found.urls)[:_MOST_URLS]]
