"""`python -m scoring.training circumstances`: does a release keep its promise in all circumstances?"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from scoring.pipeline import Scorer
from scoring.release import Release
from scoring.splits import Split
from scoring.training import cards, labelled_posts, promise, served_content
from scoring.training.promise import Figure, Outcome, Promise

PART = "circumstances"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--release", type=Path, required=True, help="folder of the release to judge")
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="labelled texts, JSON lines")
    parser.add_argument(
        "--part", choices=[Split.VALIDATION, Split.TEST], type=Split, default=Split.TEST, help="what is read"
    )
    served_content.add_arguments(parser)
    parser.add_argument("--card", type=Path, help="page whose part is rewritten, docs/models.md")
    parser.add_argument("--seed", type=int, default=1, help="the same seed draws the same circumstances")


def main(arguments: argparse.Namespace) -> None:
    """Measure, print the table, write it into the page; exit code 1 if a promise is broken."""
    release = Release.load(arguments.release)
    content = served_content.connect(release.content, normaliser=release.normaliser, arguments=arguments)
    posts = labelled_posts.load(arguments.data, split=arguments.part)
    scorer = Scorer(release=release, content=content)
    outcomes = promise.outcomes_of(posts, scorer=scorer, seed=arguments.seed)
    sources = ", ".join(path.stem for path in arguments.data)
    beside = {promise.PEER: promise.peer_of(outcomes), **outcomes}
    rows = promise.table(beside)
    card = write(beside, rows=rows, release=release, texts=f"the {arguments.part} part of {sources}")
    if arguments.card:
        cards.insert(card, part=PART, page=arguments.card)
    sys.stdout.write(card)
    broken = [name for name in outcomes if not all(figure.is_kept for figure in rows[name])]
    if broken:
        sys.exit(f"promise broken in {len(broken)} of {len(outcomes)} circumstances: {'; '.join(broken)}")


def write(
    outcomes: Mapping[str, Outcome], *, rows: Mapping[str, Sequence[Figure]], release: Release, texts: str
) -> str:
    """Return the table as markdown between its marks; `texts` says which they are."""
    peer, thresholds = outcomes[promise.PEER], release.thresholds
    head = ["circumstance", *(column.title for column in promise.PROMISES), "removed"]
    lines = [_row(name, row, removed=int(outcomes[name].is_removed.sum())) for name, row in rows.items()]
    text = f"""# Real texts in ten circumstances

Written by `python -m scoring.training circumstances` from what it measured; do not edit by hand.

{len(peer.is_spam):,} texts ({int(peer.is_spam.sum()):,} spam), {texts}, none of them trained or chosen on, each in ten
circumstances drawn without a look at its label (`scoring/training/circumstances.py`): the texts and their labels are real, what
they stand in is simulated. Release `{release.id[:12]}`, held from {thresholds.review_from:.3f}, removed from {thresholds.remove_from:.3f}. In brackets
the 95 % interval of a bootstrap over near-duplicate groups; **bold** breaks the promise at the head of its column.

| {" | ".join(head)} |
|{"---|" * len(head)}
"""  # noqa: E501 - a page's lines are longer
    return cards.marked(text + "\n".join(lines), part=PART)


def _row(name: str, row: Sequence[Figure], *, removed: int) -> str:
    cells = [_cell(figure, column=column) for figure, column in zip(row, promise.PROMISES, strict=True)]
    return f"| {' | '.join((name, *cells, str(removed)))} |"


def _cell(figure: Figure, *, column: Promise) -> str:
    if math.isnan(figure.value):
        return column.said(figure.value)
    said = f"{column.said(figure.value)} ({column.said(figure.low)} to {column.said(figure.high)})"
    return said if figure.is_kept else f"**{said}**"
