"""The URL model's part of docs/models.md, filled from what training measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

from scoring.training import cards
from scoring.urls import MEASURES

PART = "urls"

TEMPLATE = Path(__file__).with_name("url_card.md.template")


def write(manifest: Mapping[str, Any]) -> str:
    """Return the card as markdown between its marks."""
    text = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        measure_count=len(MEASURES),
        rows=f"{manifest['urls']:,}",
        kinds=", ".join(f"{count:,} {kind}" for kind, count in manifest["kinds"].items()),
        file=manifest["file"],
        sha256=manifest["sha256"][:16],
        review_from=f"{manifest['review_from']:.4f}",
        table="\n".join(_row(name, measures) for name, measures in manifest["measured"].items()),
        benign_domains=sum(measures["benign_domains"] for measures in manifest["measured"].values()),
    )
    return cards.marked(text, part=PART)


def insert(card: str, *, page: Path) -> None:
    """Put the card into a page."""
    cards.insert(card, part=PART, page=page)


def _row(name: str, measures: Mapping[str, Any]) -> str:
    kinds = ", ".join(f"{kind} {recall:.1%}" for kind, recall in measures["recall_by_kind"].items())
    cells = (
        name,
        f"{measures['urls']:,} ({measures['bad']:,})",
        f"{measures['domains']:,} ({measures['benign_domains']:,})",
        f"{measures['roc_auc']:.4f}",
        f"{measures['pr_auc']:.4f}",
        f"{measures['recall']:.1%}",
        f"{measures['false_positive_rate']:.1%}",
        kinds,
    )
    return f"| {' | '.join(cells)} |"
