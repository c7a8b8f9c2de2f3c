"""How well are real posts told apart? Labelled texts through the API, ROC-AUC per source.

make bench ARGS=real_input      (while `make run` is up)

Only the text and an author id of its own are sent, so nothing but the text can help. The whole of a file
holds rows that the shipped content model was trained on; the test part, by near-duplicate group, holds none.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import _product
from scoring.routing import Route
from scoring.splits import Split, split_of

_FOLDER = Path("../shared/data")
_FILES = ("x_janitr.jsonl", "youtube_uci.jsonl")
_BULK = 200


def main() -> None:
    """Send, wait, print; exit code 1 if a post was refused or not scored."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, default=[_FOLDER / name for name in _FILES])
    options = parser.parse_args()
    _product.connect()
    run = f"real-{secrets.token_hex(4)}"
    sources = {path.stem: _read(path, prefix=f"{run}-{path.stem}") for path in options.files}
    refused = [line for rows in sources.values() for line in _send(rows)]
    print(*refused[:5], sep="\n", end="\n" if refused else "")
    names = [name for rows in sources.values() for name in rows]
    _product.wait_for(done=lambda: _count(run), expected=len(names), says="scored")
    _print(sources)
    if refused or _count(run) < len(names):
        sys.exit(f"{len(refused)} refused, {len(names) - _count(run)} not scored")


def _read(path: Path, *, prefix: str) -> dict[str, dict[str, Any]]:
    """Return the rows of a file by the post ids that they get."""
    if not path.exists():
        sys.exit(f"{path} is not there: give JSON lines with text, label and group.")
    lines = path.read_text(encoding="utf-8").splitlines()
    return {f"{prefix}-{number}": json.loads(line) for number, line in enumerate(lines)}


def _send(rows: dict[str, dict[str, Any]]) -> list[str]:
    posted_at = datetime.now(UTC).isoformat()
    payloads = [
        {
            "external_id": name,
            "text": row["text"],
            "posted_at": posted_at,
            "author": {"external_id": f"{name}-author"},
        }
        for name, row in rows.items()
    ]
    refused: list[str] = []
    with _product.api() as api:
        for start in range(0, len(payloads), _BULK):
            refused += api.send_posts(payloads[start : start + _BULK])
    return refused


def _count(run: str) -> int:
    from moderation.models import Post  # noqa: PLC0415 - Django is not set up before `connect`

    return (
        Post.objects.filter(external_id__startswith=run, revisions__scores__isnull=False).distinct().count()
    )


def _scores(names: list[str]) -> dict[str, Any]:
    from moderation.queries.labels import quality  # noqa: PLC0415 - Django is not set up before `connect`

    return {score.external_id: score for score in quality.latest_scores(external_ids=names)}


def _print(sources: dict[str, dict[str, Any]]) -> None:
    print("Real posts, sent as bare texts. 'whole file' contains rows that the content model was trained on.")
    print(
        f"{'source':<14}{'rows':<12}{'posts':>7}{'spam':>7}"
        f"{'ROC-AUC spam probability':>26}{'ROC-AUC content probability':>29}"
        f"{'spam let through':>18}{'others held':>13}{'degraded':>10}"
    )
    for source, rows in sources.items():
        scores = _scores(list(rows))
        test = {name for name, row in rows.items() if split_of(row["group"]) is Split.TEST}
        for part, names in (("whole file", list(scores)), ("test part", [n for n in scores if n in test])):
            _print_row(source, part, rows={name: rows[name] for name in names}, scores=scores)


def _print_row(source: str, part: str, *, rows: dict[str, Any], scores: dict[str, Any]) -> None:
    from moderation.queries.labels import quality  # noqa: PLC0415 - Django is not set up before `connect`

    scored = [scores[name] for name in rows]
    is_spam = {name: bool(row["label"]) for name, row in rows.items()}
    with_content = [score for score in scored if score.content_probability is not None]
    spam = quality.roc_auc(
        truths=[is_spam[score.external_id] for score in scored],
        probabilities=[score.spam_probability for score in scored],
    )
    content = quality.roc_auc(
        truths=[is_spam[score.external_id] for score in with_content],
        probabilities=[score.content_probability for score in with_content],
    )
    let_through = sum(is_spam[score.external_id] and score.route == Route.ALLOW for score in scored)
    held = sum(not is_spam[score.external_id] and score.route != Route.ALLOW for score in scored)
    degraded = sum(score.is_degraded for score in scored)
    print(
        f"{source:<14}{part:<12}{len(rows):>7}{sum(is_spam.values()):>7}{spam:>26.4f}{content:>29.4f}"
        f"{let_through:>18}{held:>13}{degraded:>10}"
    )


if __name__ == "__main__":
    main()
