"""`python -m training journeys`: fit the journey model on labelled records.

Give it records of other simulated worlds than the ensemble is fitted on: an ensemble fitted on the journey
model's own training data would trust it too much.
"""

import argparse
import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score

from scoring.journeys import MEASURES, PAUSES_MS, START, JourneyModel, is_understood, tokens
from scoring.splits import Split, split_of
from scoring.trees import Floats
from training import cards, labelled_records, mixture
from training.labelled_lines import Origin
from training.labelled_records import LabelledRecord

PART = "journeys"

# A step never seen is not impossible: half a step in every cell.
_SMOOTHING = 0.5
_HALVES = 2
TEMPLATE = Path(__file__).with_name("journey_card.md.template")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    labelled_records.add_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder of the release, scoring/starter")
    parser.add_argument("--card", type=Path, help="page whose journey part is rewritten, docs/models.md")


def main(arguments: argparse.Namespace) -> None:
    """Train, measure, write model and card."""
    paths = [*arguments.records, *arguments.labels]
    model = train(labelled_records.given(paths), source=labelled_records.sources(paths))
    arguments.out.mkdir(parents=True, exist_ok=True)
    model.save(arguments.out)
    cards.publish(_card(model.trained), part=PART, page=arguments.card)


def train(labelled: Sequence[LabelledRecord], *, source: Mapping[str, str]) -> JourneyModel:
    """Fit the chains on one half of the groups, their weights on the other, measure on the test part.

    Raises ValueError if a part has journeys of one sort only.
    """
    posts = [post for post in mixture.mixed(labelled) if is_understood(post.record.journey)]
    fitted = [post for post in posts if split_of(post.group) is not Split.TEST]
    tested = [post for post in posts if split_of(post.group) is Split.TEST]
    halves: tuple[list[LabelledRecord], list[LabelledRecord]] = ([], [])
    for post in fitted:
        halves[_half(post.group)].append(post)
    for part in (*halves, tested):
        if len({post.is_spam for post in part}) < 2:
            raise ValueError(f"a part of {len(part)} journeys needs both sorts: give more records")
    chains = JourneyModel(_log_ratios(halves[0]), (0.0,) * len(MEASURES), 0.0, {})
    rows = np.array([chains.measures(post.record.journey) for post in halves[1]])
    line = LogisticRegression(C=1.0, max_iter=1000).fit(
        rows, _is_spam(halves[1]), sample_weight=_weights(halves[1])
    )
    model = dataclasses.replace(
        chains, weights=tuple(map(float, line.coef_[0])), intercept=float(line.intercept_[0])
    )
    facts: dict[str, Any] = {
        "simulated": any(post.origin is Origin.SIMULATED for post in posts),
        "fitted_on": mixture.fitted_on(posts),
        **source,
        "rows": len(labelled),
        "known": len(posts),
        "spam": sum(post.is_spam for post in posts),
        **_measured(model, tested),
    }
    return dataclasses.replace(model, trained=facts)


def _card(trained: dict[str, Any]) -> str:
    counts = {name: f"{trained[name]:,}" for name in ("rows", "known", "spam", "tested")}
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        counts,
        file=trained["file"],
        sha256=trained["sha256"][:16],
        measures=", ".join(MEASURES),
        roc_auc=f"{trained['roc_auc']:.4f}",
        pr_auc=f"{trained['pr_auc']:.4f}",
        accuracy=f"{trained['accuracy']:.1%}",
    )


def _log_ratios(labelled: Sequence[LabelledRecord]) -> Floats:
    spam, honest = (
        _log_chain([post for post in labelled if post.is_spam is is_spam]) for is_spam in (True, False)
    )
    return (spam - honest).round(4)


def _log_chain(labelled: Sequence[LabelledRecord]) -> Floats:
    """Return log P(step, pause | step before), smoothed; every journey counts by its weight, however long it
    is.
    """
    counts = np.zeros((START + 1, START, len(PAUSES_MS) + 1))
    for post in labelled:
        moves = tokens(post.record.journey)
        for token, times in Counter(moves).items():
            counts[token] += post.weight * times / len(moves) ** 0.5
    counts += _SMOOTHING
    chain: Floats = np.log(counts / counts.sum(axis=(1, 2), keepdims=True))
    return chain


def _measured(model: JourneyModel, tested: Sequence[LabelledRecord]) -> dict[str, Any]:
    probabilities = np.array([model.probability(post.record.journey) for post in tested])
    is_spam, weights = _is_spam(tested), _weights(tested)
    return {
        "tested": len(tested),
        "roc_auc": float(roc_auc_score(is_spam, probabilities, sample_weight=weights)),
        "pr_auc": float(average_precision_score(is_spam, probabilities, sample_weight=weights)),
        "accuracy": float(np.average((probabilities >= 0.5) == is_spam, weights=weights)),
    }


def _half(group: str) -> int:
    """Return 0 or 1, the same for ever and apart from the split's own hash."""
    return sum(group.encode()) % _HALVES


def _is_spam(labelled: Sequence[LabelledRecord]) -> NDArray[np.bool_]:
    return np.array([post.is_spam for post in labelled])


def _weights(labelled: Sequence[LabelledRecord]) -> Floats:
    return np.array([post.weight for post in labelled])
