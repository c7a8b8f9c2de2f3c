"""How many wrong labels stand where people look first? Verdicts turned round by chance, found again.

make bench ARGS=label_noise
make bench ARGS="label_noise --source ../shared/data/sms_uci.jsonl --seeds 3"      (quick)

Of each source's labels a tenth is turned round, each time others; heads fitted without a text's group rank
all labels, as `manage.py next_release` does, though by words alone: no content model is asked. Beside it
stand the ranking by the probability of the verdict alone, and how many of the labels turned round are
suspected at all. Any labelled file will do: JSON lines with text, label and group.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from lab import _source
from lab._source import Text
from scoring.trees import Floats
from training import fit_head, label_noise
from training.labelled_lines import Malformed

_DATA = Path("../shared/data")
_SOURCES = [_DATA / f"{name}.jsonl" for name in ("sms_uci", "youtube_uci", "x_janitr", "sms_thai")]
_TURNED, _LOOKED_AT, _PROMISED = 0.10, 0.15, 0.80


def main() -> None:
    """Print a line for each source; exit code 1 if the promise is not held on one."""
    options = _options()
    results = [_measured(path, options=options) for path in options.source]
    sys.exit(0 if all(results) else 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, nargs="+", default=_SOURCES, help="labelled texts")
    parser.add_argument("--seeds", type=int, default=5, help="how often other labels are turned round")
    parser.add_argument("--texts", type=int, default=500, help="texts of each source at most")
    options = parser.parse_args()
    if options.seeds < 2 or not 50 <= options.texts <= fit_head.MOST_DECISIONS:
        parser.error(f"at least 2 seeds, and 50 to {fit_head.MOST_DECISIONS} texts")
    return options


def _measured(path: Path, *, options: argparse.Namespace) -> bool:
    try:
        texts = _source.limited(_source.read(path), most=options.texts)[: options.texts]
    except (Malformed, OSError) as wrong:
        sys.exit(f"label_noise: {wrong}")
    with threadpool_limits(limits=1):
        figures = [_found(texts, seed=seed) for seed in range(options.seeds)]
    first, plain, suspected, right = (np.array(column) for column in zip(*figures, strict=True))
    low, high = _interval(first)
    is_held = bool(low >= _PROMISED)
    print(
        f"{path.stem}: {len(texts)} labels, {_source.spam_share(texts):.0%} spam, {_TURNED:.0%} turned: "
        f"{first.mean():.1%} of those in the first {_LOOKED_AT:.0%} (95%: {low:.1%} to {high:.1%}, "
        f"{options.seeds} seeds; by chance {_LOOKED_AT:.0%}, by the verdict's probability {_said(plain)}); "
        f"promised {_PROMISED:.0%}: {'held' if is_held else 'NOT HELD'}\n"
        f"    {_said(suspected)} of them are suspected; of those suspected {_said(right)} are turned",
        flush=True,
    )
    return is_held


def _found(texts: list[Text], *, seed: int) -> tuple[float, float, float, float]:
    """Return which share of the labels turned round stands among the first of the ranking, and of that by the
    probability of the verdict; which share is suspected, and which share of those suspected was turned.
    """
    random = np.random.default_rng(seed)
    rows = len(texts)
    turned = np.zeros(rows, dtype=bool)
    turned[random.choice(rows, round(_TURNED * rows), replace=False)] = True
    labels = np.array([text.is_spam for text in texts]) ^ turned
    probability = label_noise.left_out_probabilities(
        [text.text for text in texts], is_spam=labels, groups=[text.group for text in texts]
    )

    def among_first(worth: Floats) -> float:
        first = np.argsort(worth, kind="stable")[: round(_LOOKED_AT * rows)]
        return float(turned[first].sum() / turned.sum())

    suspected = turned[label_noise.suspected(is_spam=labels, spam_probability=probability)]
    return (
        among_first(label_noise.quality(is_spam=labels, spam_probability=probability)),
        among_first(np.where(labels, probability, 1.0 - probability)),
        float(suspected.sum() / turned.sum()),
        float(suspected.mean()),
    )


def _said(found: np.ndarray) -> str:
    low, high = _interval(found)
    return f"{found.mean():.1%} ({low:.1%} to {high:.1%})"


def _interval(found: np.ndarray) -> tuple[float, float]:
    """Return the middle 95 % of means of resampled seeds."""
    random = np.random.default_rng(0)
    means = random.choice(found, (2_000, len(found))).mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


if __name__ == "__main__":
    main()
