"""The URL model's part of docs/models.md, filled from what training measured."""

from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

from scoring.urls import MEASURES
from training import everyday_urls, fit_urls

PART = "urls"
_SHOWN_FROM = 0.0005  # of a kind's links flagged

TEMPLATE = Path(__file__).with_name("url_card.md.template")


def write(manifest: Mapping[str, Any]) -> str:
    """Return the card as markdown."""
    everyday = manifest["everyday"]
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        measure_count=len(MEASURES),
        rows=f"{manifest['urls']:,}",
        kinds=", ".join(f"{count:,} {kind}" for kind, count in manifest["kinds"].items()),
        file=manifest["file"],
        sha256=manifest["sha256"][:16],
        review_from=f"{manifest['review_from']:.4f}",
        flagged_at_most=f"{manifest['flagged_at_most']:.0%}",
        table="\n".join(_row(name, measures) for name, measures in manifest["measured"].items()),
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


def _row(name: str, measures: Mapping[str, Any]) -> str:
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
