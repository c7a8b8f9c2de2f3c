"""What do a curve and thresholds of a platform's own gain it? Beside the shared ones, on texts nobody saw.

.venv/bin/python -m bench platform_routes          (while `make run` is up, or with TRITON_URL)

The texts and halves of scoring/training/new_platform.py: all labels of the first half are taken for random
ones, and the other half is routed as bare posts by the same head, once with what all platforms share and once
with its own.
"""

from __future__ import annotations

import argparse
import dataclasses
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from bench import _content
from bench._measured import mean_and_worst
from scoring.pipeline import ContentProtocol, Scorer
from scoring.release import Release
from scoring.routing import Route
from scoring.training import evaluate, new_platform, train_heads
from scoring.training.labelled_records import LabelledRecord

_RELEASE = Path("scoring/starter")


def main() -> None:
    """Print a table for each file."""
    options = _options()
    content = _content.connect(remembers=10_000)
    for path in options.files:
        posts = new_platform.posts_of(path, most=options.texts)
        print(
            f"\n{path.stem}: {len(posts)} texts, {options.seeds} seeds; mean, in brackets the worst of them\n"
        )
        print("| curve and thresholds | held from | removed from | spam let through | honest held |", end="")
        print(" spam removed | honest removed | calibration error |\n|---|---|---|---|---|---|---|---|")
        found = [dict(_trial(posts, content=content, seed=seed)) for seed in range(1, options.seeds + 1)]
        for by in ("shared", "own"):
            print(f"| {by} | {_cells([trial[by] for trial in found])} |", flush=True)


@dataclasses.dataclass(frozen=True)
class Routed:
    """Where review and removal begin, what became of the unseen half, as shares of its spam and of its honest
    texts, and the calibration error.
    """

    review_from: float
    remove_from: float
    let_through: float
    held: float
    removed: float
    wrongly_removed: float
    calibration_error: float


def _trial(
    posts: Sequence[LabelledRecord], *, content: ContentProtocol, seed: int
) -> Iterator[tuple[str, Routed]]:
    arriving, unseen = new_platform.halves(posts, generator=np.random.default_rng(seed))
    random = [dataclasses.replace(one, is_random=True) for one in arriving]
    with tempfile.TemporaryDirectory() as folder:
        made = train_heads.add_heads(
            Release.load(_RELEASE), random, content=content, out=Path(folder)
        ).release
        own, shared = (
            Scorer(release=release, content=content)
            for release in (made, dataclasses.replace(made, platforms={}))
        )
    records = [one.record for one in unseen]
    [platform] = {record.platform for record in records}
    is_spam = np.array([one.is_spam for one in unseen])
    read = own.content_on(platform).probabilities([record.text for record in records])
    for by, scorer in (("shared", shared), ("own", own)):
        said = scorer.spam_probabilities(records, content_probabilities=read)
        routes = np.array(scorer.routes(records, content_probabilities=read))
        thresholds = scorer.release.thresholds_on(platform)
        yield (
            by,
            Routed(
                review_from=thresholds.review_from,
                remove_from=thresholds.remove_from,
                let_through=float((routes[is_spam] == Route.ALLOW).mean()),
                held=float((routes[~is_spam] != Route.ALLOW).mean()),
                removed=float((routes[is_spam] == Route.REMOVE).mean()),
                wrongly_removed=float((routes[~is_spam] == Route.REMOVE).mean()),
                calibration_error=evaluate.calibration_error(is_spam.astype(np.float64), said),
            ),
        )


def _cells(found: Sequence[Routed]) -> str:
    columns = (
        ("review_from", max, ".3f"),
        ("remove_from", min, ".3f"),
        ("let_through", max, ".1%"),
        ("held", max, ".1%"),
        ("removed", min, ".1%"),
        ("wrongly_removed", max, ".1%"),
        ("calibration_error", max, ".3f"),
    )
    return " | ".join(mean_and_worst(found, *columns))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench platform_routes")
    parser.add_argument("--files", type=Path, nargs="+", default=new_platform.FILES)
    parser.add_argument("--texts", type=int, default=2_400, help="of each file, whole groups")
    parser.add_argument("--seeds", type=int, default=3)
    return parser.parse_args()
