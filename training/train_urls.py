"""`python -m training urls`: fit the URL model, split by registrable domain, and write its page.

It learns from labelled URLs, links of small sites from the documentation of packages, pages beside both,
and links by pattern. Other lists are only measured on.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from scoring.ensemble import probabilities_of
from scoring.release import file_sha256
from scoring.splits import Split, split_of
from scoring.trees import Floats
from scoring.urls import MEASURES, UrlModel, is_silent
from training import cards, everyday_urls, fit_urls, labelled_urls, measure_urls
from training.fit_urls import Material, Row
from training.labelled_urls import LabelledUrl
from training.measure_urls import Measures

URLS_MANIFEST = "urls.json"
SEED = 20_260
FLAGGED_AT_MOST = 0.03
"""Share of benign domains, by the upper end of the interval."""
DOCUMENTED = Path(__file__).with_name("documented_urls.csv")
SCAM = "written scam"
_PART, _TEMPLATE = "urls", Path(__file__).with_name("url_card.md.template")
_SHOWN_FROM = 0.0005  # of a kind's links flagged


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """A model and its quality; `everyday` tells how many everyday links are flagged by a model that saw none
    of their domains, `small_fronts` are left-out probabilities of small sites' front pages.
    """

    model: UrlModel
    measured: dict[str, Measures]
    everyday: dict[str, Any]
    small_fronts: Floats


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--urls", type=Path, required=True, help="CSV with url, dom, cls (may be .gz)")
    parser.add_argument("--popular", type=Path, required=True, help="popular domains, one per line")
    parser.add_argument(
        "--lists", type=Path, nargs="*", default=(), help="URLs and names of sites, to measure on"
    )
    parser.add_argument(
        "--everyday", type=int, default=everyday_urls.URLS_PER_KIND, help="links by pattern of each kind"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of the release, scoring/starter")
    parser.add_argument("--card", type=Path, help="page whose URL part is rewritten, docs/models.md")
    parser.add_argument("--seed", type=int, default=SEED, help="the same seed gives the same model")


def main(arguments: argparse.Namespace) -> None:
    """Train, measure, write model, manifest and card."""
    urls = labelled_urls.load(arguments.urls)
    sites = everyday_urls.popular_domains(
        arguments.popular, without={url.domain for url in urls if url.is_bad}
    )
    documented = labelled_urls.load(DOCUMENTED)
    trained = train(
        urls,
        documented=documented,
        sites=sites,
        seed=arguments.seed,
        everyday_per_kind=arguments.everyday,
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    trained.model.save(arguments.out)
    manifest: dict[str, Any] = {
        "file": arguments.urls.name,
        "sha256": file_sha256(arguments.urls),
        "popular": {"sha256": file_sha256(arguments.popular), "used": len(sites)},
        "seed": arguments.seed,
        "urls": len(urls),
        "kinds": dict(sorted(Counter(url.kind for url in urls).items())),
        "review_from": trained.model.review_from,
        "flagged_at_most": FLAGGED_AT_MOST,
        "measured": {name: asdict(measures) for name, measures in trained.measured.items()},
        "everyday": trained.everyday,
        "documented": {
            "sha256": file_sha256(DOCUMENTED),
            "urls": len(documented),
            "domains": len({url.domain for url in documented}),
        },
        "fronts": len(trained.small_fronts),
        "lists": [_listed(path, trained=trained) for path in arguments.lists],
    }
    (arguments.out / URLS_MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    cards.publish(_card(manifest), part=_PART, page=arguments.card)


def train(
    urls: Sequence[LabelledUrl],
    *,
    sites: Sequence[str],
    documented: Sequence[LabelledUrl] = (),
    seed: int,
    everyday_per_kind: int,
) -> Trained:
    """Fit on the domains outside the test part; measure there left out by folds, and on the test part.

    Written links of a domain in the test part are not fitted on. Raises ValueError if a part has URLs of one
    sort only.
    """
    known, unseen = _parts(urls)
    generator = np.random.default_rng(seed)
    small = [url for url in documented if split_of(url.domain) is not Split.TEST]
    unseen += [url for url in documented if split_of(url.domain) is Split.TEST]
    write = partial(everyday_urls.write, sites, generator=generator, urls_per_kind=everyday_per_kind)
    hidden = {url.domain for url in unseen}
    everyday = [link for link in write() if link.domain not in hidden]
    rows = [
        *map(Row, [*known, *labelled_urls.relatives(known, generator=generator)]),
        *(Row(url, "documented") for url in [*small, *labelled_urls.relatives(small, generator=generator)]),
        *(Row(link, "everyday") for link in everyday),
        *(Row(link, "scam") for link in write(label=SCAM)),
    ]
    material = Material.of(rows)
    margins = fit_urls.left_out_margins(material, seed=seed)
    slope, intercept = fit_urls.platt(margins[: len(known)], urls=known)
    left_out = _left_out(rows, margins=slope * margins + intercept)
    honest = [url for url in known if not url.is_bad] + small
    review_from = max(
        measure_urls.lowest_bound(left_out(part), benign=part, flagged_at_most=FLAGGED_AT_MOST, seed=seed)
        for part in (honest, everyday)
    )
    line = fit_urls.fit(material, places=np.arange(len(rows)), seed=seed)
    model = fit_urls.packed(line, slope=slope, intercept=intercept, review_from=review_from)
    with_small = [*(url for url in known if url.is_bad), *small]
    fronts = [
        row.url
        for row in rows
        if row.part == "documented" and row.url.url.endswith("/") and row.url.url.count("/") == 3
    ]
    return Trained(
        model=model,
        measured={
            name: measure_urls.measure(probabilities, urls=part, review_from=review_from, seed=seed)
            for name, probabilities, part in (
                ("listed, left out by folds", left_out(known), known),
                ("the same bad ones, small sites", left_out(with_small), with_small),
                ("test domains", np.array([model.probability(url.url) for url in unseen]), unseen),
            )
            if part is not with_small or small
        },
        everyday=_everyday(left_out(everyday), links=everyday, review_from=review_from, seed=seed),
        small_fronts=left_out(fronts),
    )


def _left_out(rows: Sequence[Row], *, margins: Floats) -> Callable[[Sequence[LabelledUrl]], Floats]:
    """Return a lookup of the rows' left-out probabilities, 0 where the model is silent."""
    spoken = ~np.array([is_silent(row.url.url) for row in rows])
    probabilities = dict(zip((row.url.url for row in rows), probabilities_of(margins) * spoken, strict=True))
    return lambda urls: np.array([probabilities[url.url] for url in urls])


def _parts(urls: Sequence[LabelledUrl]) -> tuple[list[LabelledUrl], list[LabelledUrl]]:
    known = [url for url in urls if split_of(url.domain) is not Split.TEST]
    unseen = [url for url in urls if split_of(url.domain) is Split.TEST]
    for part in (known, unseen):
        if len({url.is_bad for url in part}) < 2:
            raise ValueError(f"a part of {len(part)} URLs needs benign and bad ones: give more URLs")
    return known, unseen


def _everyday(
    probabilities: Floats, *, links: Sequence[LabelledUrl], review_from: float, seed: int
) -> dict[str, Any]:
    flagged = probabilities >= review_from
    kinds = np.array([link.pattern for link in links])
    return {
        "urls": len(links),
        "domains": len({link.domain for link in links}),
        "flagged": asdict(measure_urls.flagged_share(flagged, urls=links, seed=seed)),
        "flagged_by_kind": {str(kind): float(flagged[kinds == kind].mean()) for kind in np.unique(kinds)},
    }


def _listed(path: Path, *, trained: Trained) -> dict[str, Any]:
    """Measure on a file of URLs or names (their front pages), one per line, against left-out front pages of
    small sites; lines with other marks, such as comments, are left out.
    """
    lines = {line.strip() for line in path.read_text(encoding="utf-8").splitlines()}
    urls = [line for line in lines if "://" in line and " " not in line]
    names = [line for line in lines if "." in line and not {*line} & {" ", "#", "/"}]
    probabilities = np.array(
        [trained.model.probability(url) for url in [*urls, *(f"http://{name}/" for name in names)]]
    )
    both = np.concatenate([probabilities, trained.small_fronts])
    return {
        "file": path.name,
        "sha256": file_sha256(path),
        "urls": len(probabilities),
        "flagged": float((probabilities >= trained.model.review_from).mean()),
        "roc_auc": float(roc_auc_score(np.arange(len(both)) < len(probabilities), both)),
    }


def _card(manifest: Mapping[str, Any]) -> str:
    """Return the card as markdown."""
    everyday = manifest["everyday"]
    return Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(
        measure_count=len(MEASURES),
        rows=f"{manifest['urls']:,}",
        kinds=", ".join(f"{count:,} {kind}" for kind, count in manifest["kinds"].items()),
        file=manifest["file"],
        sha256=manifest["sha256"][:16],
        review_from=f"{manifest['review_from']:.4f}",
        flagged_at_most=f"{manifest['flagged_at_most']:.0%}",
        table="\n".join(_card_row(name, measures) for name, measures in manifest["measured"].items()),
        popular=f"{manifest['popular']['used']:,}",
        popular_sha256=manifest["popular"]["sha256"][:16],
        **{f"{part}_share": f"{share:.0%}" for part, share in fit_urls.SHARES.items()},
        everyday_urls=f"{everyday['urls']:,}",
        everyday_domains=f"{everyday['domains']:,}",
        everyday_flagged=_share(everyday["flagged"]),
        everyday_table="\n".join(
            f"| {kind} | {why} | {share:.1%} |"
            for kind, why in everyday_urls.kinds().items()
            if (share := everyday["flagged_by_kind"].get(kind, 0.0)) >= _SHOWN_FROM
        ),
        documented=f"{manifest['documented']['urls']:,}",
        documented_domains=f"{manifest['documented']['domains']:,}",
        fronts=f"{manifest['fronts']:,}",
        lists="\n".join(map(_list_row, manifest["lists"])),
    )


def _card_row(name: str, measures: Mapping[str, Any]) -> str:
    kinds = ", ".join(f"{kind} {recall:.1%}" for kind, recall in measures["recall_by_kind"].items())
    area = measures["roc_auc"]
    cells = (
        name,
        f"{measures['urls']:,} ({measures['bad']:,})",
        f"{measures['domains']:,} ({measures['benign_domains']:,})",
        f"{area['value']:.4f} ({area['low']:.4f} to {area['high']:.4f})",
        f"{measures['roc_auc_by_url']:.4f}",
        f"{measures['pr_auc']:.4f}",
        _share(measures["recall"]),
        kinds,
        _share(measures["false_positives"]),
        str(measures["mostly_flagged"]),
        f"{measures['false_positives_by_url']:.1%}",
    )
    return f"| {' | '.join(cells)} |"


def _share(share: Mapping[str, float]) -> str:
    return f"{share['value']:.1%} ({share['low']:.1%} to {share['high']:.1%})"


def _list_row(listed: Mapping[str, Any]) -> str:
    return f"| {listed['file']} | {listed['urls']:,} | {listed['flagged']:.1%} | {listed['roc_auc']:.3f} |"
