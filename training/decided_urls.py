"""Links of decided posts as labelled URLs: domains labelled by decisions, and whether the URL model gains.

A post is judged for more than its link: of 14 comments that link to google.com all may be spam. So a domain
is labelled only by several agreeing decisions, and a popular domain is never labelled bad.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from scoring.known_domains import open_domains
from scoring.splits import Split, split_of
from scoring.trees import Floats
from training import everyday_urls, fit_urls, labelled_lines, labelled_posts, measure_urls
from training.fit_urls import Material
from training.labelled_lines import MOST_TRAINING_WEIGHT, Malformed, Origin
from training.labelled_urls import BENIGN, LabelledUrl

KIND = "decided spam"
LEAST_GROUPS = 3
"""Groups of near-duplicates that must agree on a domain: a campaign is one observation, however large."""
LEAST_SHARE = 0.9
"""Share of the weight of a domain's decisions that must agree."""
LEAST_DOMAINS = 8
"""Minimum domains per class."""
LEAST_GAINED = 0.02
"""Least gain in ROC-AUC on decided domains left out."""
MOST_LOST = 0.005
"""Most ROC-AUC lost on the test part of the lists."""
_MOST_URLS = 50


class TooFew(ValueError):
    """Decisions agree on fewer than LEAST_DOMAINS domains of either class."""


class NoGain(ValueError):
    """Decisions that do not make the model better on domains left out, or make it worse on those of lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """ROC-AUC on decided domains that were left out, and on the test part of the lists; a domain counts
    once.
    """

    roc_auc: float
    listed_roc_auc: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """The effect of decisions; `domains` and `bad` count the domains learnt."""

    domains: int
    bad: int
    urls: int
    without: Quality
    with_decisions: Quality

    def check(self) -> None:
        """Raise NoGain unless the model is better with decisions."""
        before, after = self.without, self.with_decisions
        # Not by log loss: additional labels make a model less confident, which alone lowers the loss.
        if after.roc_auc < before.roc_auc + LEAST_GAINED:
            raise NoGain(
                f"ROC-AUC {after.roc_auc:.3f} on {self.domains} decided domains left out, "
                f"{before.roc_auc:.3f} without decisions: train without --labels"
            )
        if after.listed_roc_auc < before.listed_roc_auc - MOST_LOST:
            raise NoGain(
                f"ROC-AUC {after.listed_roc_auc:.4f} on the test part of the lists, "
                f"{before.listed_roc_auc:.4f} without decisions: train without --labels"
            )


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


def measure_gain(
    material: Material,
    *,
    left_out: Floats,
    line: LogisticRegression,
    unseen: Sequence[LabelledUrl],
    seed: int,
) -> Gain:
    """Compare a line on all of the material with one that saw neither the decisions nor their domains.

    `left_out` are the log-odds of the material's rows by lines without their domains; `unseen` is the test
    part of the lists. Raises NoGain.
    """
    is_decided = np.array([row.part == "decided" for row in material.rows])
    urls = [row.url for row in material.rows if row.part == "decided"]
    names = {url.domain for url in urls}
    others = np.flatnonzero([row.url.domain not in names for row in material.rows])
    without = fit_urls.fit(material, places=others, seed=seed)
    tested = Material.of([fit_urls.Row(url) for url in unseen]).matrix
    gain = Gain(
        domains=len(names),
        bad=len({url.domain for url in urls if url.is_bad}),
        urls=len(urls),
        without=Quality(
            roc_auc=_area(without.decision_function(material.matrix[is_decided]), urls=urls),
            listed_roc_auc=_area(without.decision_function(tested), urls=unseen),
        ),
        with_decisions=Quality(
            roc_auc=_area(left_out[is_decided], urls=urls),
            listed_roc_auc=_area(line.decision_function(tested), urls=unseen),
        ),
    )
    gain.check()
    return gain


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


def _area(margins: Floats, *, urls: Sequence[LabelledUrl]) -> float:
    weights = measure_urls.domain_weights(urls)
    return float(roc_auc_score(measure_urls.bad_of(urls), margins, sample_weight=weights))
