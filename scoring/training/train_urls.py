"""`python -m scoring.training urls`: fit the URL model, split by registrable domain, and write its page.

It learns from labelled URLs, pages beside their benign ones, everyday links by pattern, and links of decided
posts if exports are given. Names of spam sites from other collectors are only measured on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from scoring.release import file_sha256
from scoring.splits import Split, split_of
from scoring.training import (
    decided_urls,
    everyday_urls,
    fit_urls,
    gain_of_decided,
    labelled_urls,
    measure_urls,
    url_card,
)
from scoring.training.everyday_urls import EverydayUrl
from scoring.training.fit_urls import Material, Row
from scoring.training.gain_of_decided import Gain
from scoring.training.labelled_urls import LabelledUrl
from scoring.training.measure_urls import Measures, Share, bad_of
from scoring.trees import Floats
from scoring.urls import UrlModel

URLS_MANIFEST = "urls.json"
SEED = 20_260
# Of benign domains, by the upper end of the interval. The promise is 3 %, and another list behaves worse
# than left-out domains of the same list.
FLAGGED_AT_MOST = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Everyday:
    """How many everyday links are flagged by a model that saw none of their domains: by domain, by kind."""

    urls: int
    domains: int
    flagged: Share
    flagged_by_kind: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallSites:
    """Pages as small sites have them, put by pattern on real hosts that are listed as bad, of the test part.

    Many such hosts are honest sites that were broken into: the more of these pages are flagged, the more a
    host convicts by its name.
    """

    hosts: int
    urls: int
    flagged: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Spam sites' names from another collector, asked as front pages, against left-out popular domains."""

    file: str
    sha256: str
    domains: int
    flagged: float
    roc_auc: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """A model and what it is worth; `popular_fronts` are probabilities of left-out popular front pages;
    `gain` is what decisions changed, None without any.
    """

    model: UrlModel
    measured: dict[str, Measures]
    everyday: Everyday
    small_sites: SmallSites
    popular_fronts: Floats
    gain: Gain | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--urls", type=Path, required=True, help="CSV with url, dom, cls (may be .gz)")
    parser.add_argument("--popular", type=Path, required=True, help="popular domains, one per line")
    parser.add_argument(
        "--names", type=Path, nargs="*", default=(), help="names of spam sites, to measure on"
    )
    parser.add_argument(
        "--everyday", type=int, default=everyday_urls.URLS_PER_KIND, help="links by pattern of each kind"
    )
    parser.add_argument(
        "--labels", type=Path, nargs="*", default=(), help="exports of decisions, oldest first"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of the release, scoring/starter")
    parser.add_argument("--card", type=Path, help="page whose URL part is rewritten, docs/models.md")
    parser.add_argument("--seed", type=int, default=SEED, help="the same seed gives the same model")


def main(arguments: argparse.Namespace) -> None:
    """Train, measure, write model, manifest and card; nothing is written if decisions are refused."""
    urls = labelled_urls.load(arguments.urls)
    sites = everyday_urls.popular_domains(
        arguments.popular, without={one.domain for one in urls if one.is_bad}
    )
    try:
        trained = train(
            urls,
            sites=sites,
            decided=decided_urls.load(arguments.labels, popular=arguments.popular)
            if arguments.labels
            else [],
            seed=arguments.seed,
            everyday_per_kind=arguments.everyday,
        )
    except (decided_urls.TooFew, gain_of_decided.NoGain) as why:
        sys.exit(f"{type(why).__name__}: {why}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    trained.model.save(arguments.out)
    manifest: dict[str, Any] = {
        "file": arguments.urls.name,
        "sha256": file_sha256(arguments.urls),
        "popular": {"sha256": file_sha256(arguments.popular), "used": len(sites)},
        "seed": arguments.seed,
        "urls": len(urls),
        "kinds": dict(sorted(Counter(one.kind for one in urls).items())),
        "review_from": trained.model.review_from,
        "flagged_at_most": FLAGGED_AT_MOST,
        "measured": {name: asdict(measures) for name, measures in trained.measured.items()},
        "everyday": asdict(trained.everyday),
        "small_sites": asdict(trained.small_sites),
        "names": [asdict(_names(path, trained=trained)) for path in arguments.names],
        "decided": None
        if trained.gain is None
        else {"sha256": [file_sha256(path) for path in arguments.labels], **asdict(trained.gain)},
    }
    (arguments.out / URLS_MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    card = url_card.write(manifest)
    if arguments.card:
        url_card.insert(card, page=arguments.card)
    sys.stdout.write(card)


def train(
    urls: Sequence[LabelledUrl],
    *,
    sites: Sequence[str],
    decided: Sequence[LabelledUrl] = (),
    seed: int,
    everyday_per_kind: int,
) -> Trained:
    """Fit on the domains outside the test part; measure there left out by folds, and on the test part.

    Everyday and decided links of a domain in the test part are not fitted on. Raises ValueError if a part has
    URLs of one sort only, and gain_of_decided.NoGain if decisions do not make the model better.
    """
    known, unseen = _parts(urls)
    generator = np.random.default_rng(seed)
    relatives = labelled_urls.relatives(known, generator=generator)
    written = everyday_urls.write(sites, generator=generator, urls_per_kind=everyday_per_kind)
    hidden = {one.domain for one in unseen}
    everyday = [one for one in written if one.labelled.domain not in hidden]
    material = Material.of(
        [
            *map(Row, known),
            *map(Row, relatives),
            *(Row(one.labelled, one.kind) for one in everyday),
            *(Row(one, is_decided=True) for one in decided if split_of(one.domain) is not Split.TEST),
        ]
    )
    margins = fit_urls.left_out_margins(material, seed=seed)
    slope, intercept = fit_urls.platt(margins[: len(known)], urls=known)
    left_out = _logistic(slope * margins + intercept)
    listed, patterned = left_out[: len(known)], left_out[len(known) + len(relatives) :][: len(everyday)]
    review_from = _bound(listed, patterned, known=known, everyday=everyday, seed=seed)
    line = fit_urls.fit(material, places=np.arange(len(material.rows)), seed=seed)
    gain = (
        gain_of_decided.measure(material, left_out=margins, line=line, unseen=unseen, seed=seed)
        if decided
        else None
    )
    model = fit_urls.packed(line, slope=slope, intercept=intercept, review_from=review_from)
    tested = np.array([model.probability(one.url) for one in unseen])
    popular = set(sites)
    is_front = np.array(
        [
            one.labelled.domain in popular and one.labelled.url == f"http://{one.labelled.domain}/"
            for one in everyday
        ]
    )
    return Trained(
        model=model,
        measured={
            name: measure_urls.measure(probabilities, urls=part, review_from=review_from, seed=seed)
            for name, probabilities, part in (
                ("known domains, left out by folds", listed, known),
                ("test domains", tested, unseen),
            )
        },
        everyday=_everyday(patterned, links=everyday, review_from=review_from, seed=seed),
        small_sites=_small_sites(model, unseen=unseen, seed=seed, per_kind=everyday_per_kind),
        popular_fronts=patterned[is_front],
        gain=gain,
    )


def _parts(urls: Sequence[LabelledUrl]) -> tuple[list[LabelledUrl], list[LabelledUrl]]:
    known = [one for one in urls if split_of(one.domain) is not Split.TEST]
    unseen = [one for one in urls if split_of(one.domain) is Split.TEST]
    for part in (known, unseen):
        if len({one.is_bad for one in part}) < 2:
            raise ValueError(f"a part of {len(part)} URLs needs benign and bad ones: give more URLs")
    return known, unseen


def _bound(
    listed: Floats,
    patterned: Floats,
    *,
    known: Sequence[LabelledUrl],
    everyday: Sequence[EverydayUrl],
    seed: int,
) -> float:
    """Return the lowest bound that keeps to FLAGGED_AT_MOST among listed domains and everyday links alike."""
    sides = (
        (listed[~bad_of(known)], [one for one in known if not one.is_bad]),
        (patterned, [one.labelled for one in everyday]),
    )
    return max(
        measure_urls.lowest_bound(part, benign=benign, flagged_at_most=FLAGGED_AT_MOST, seed=seed)
        for part, benign in sides
    )


def _everyday(
    probabilities: Floats, *, links: Sequence[EverydayUrl], review_from: float, seed: int
) -> Everyday:
    flagged = probabilities >= review_from
    kinds = np.array([one.kind for one in links])
    urls = [one.labelled for one in links]
    return Everyday(
        urls=len(urls),
        domains=len({one.domain for one in urls}),
        flagged=measure_urls.flagged_share(flagged, urls=urls, seed=seed),
        flagged_by_kind={str(kind): float(flagged[kinds == kind].mean()) for kind in np.unique(kinds)},
    )


def _small_sites(model: UrlModel, *, unseen: Sequence[LabelledUrl], seed: int, per_kind: int) -> SmallSites:
    hosts = sorted({one.domain for one in unseen if one.is_bad})
    written = everyday_urls.write(
        ["unused.example"], generator=np.random.default_rng(seed), small_sites=hosts, urls_per_kind=per_kind
    )
    urls = [one.labelled for one in written if one.labelled.domain in hosts]
    flagged = np.array([model.probability(one.url) >= model.review_from for one in urls])
    return SmallSites(
        hosts=len({one.domain for one in urls}),
        urls=len(urls),
        flagged=measure_urls.flagged_share(flagged, urls=urls, seed=seed),
    )


def _names(path: Path, *, trained: Trained) -> Names:
    """Measure on a file of domains, one per line; lines with other marks, such as comments, are left out."""
    lines = {line.strip() for line in path.read_text(encoding="utf-8").splitlines()}
    domains = sorted(line for line in lines if "." in line and not {*line} & {" ", "#", "/"})
    bad = np.array([trained.model.probability(f"http://{domain}/") for domain in domains])
    both = np.concatenate([bad, trained.popular_fronts])
    is_bad = np.arange(len(both)) < len(bad)
    return Names(
        file=path.name,
        sha256=file_sha256(path),
        domains=len(domains),
        flagged=float((bad >= trained.model.review_from).mean()),
        roc_auc=float(roc_auc_score(is_bad, both)),
    )


def _logistic(margins: Floats) -> Floats:
    probabilities: Floats = 0.5 * (1.0 + np.tanh(0.5 * margins))
    return probabilities
