"""The quality of topics in words: `python -m training topic-quality`.

Rows carry their topics in `meta.labels`; TOPICS says how each is asked for. Beside the words, which need no
labels, stand classifiers trained on the labels, each text judged by one that did not see its group.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.splits import bucket
from scoring.topics import TopicModel
from training import compare, dataset, promise
from training.dataset import Example
from training.served_content import SHIPPED

log = logging.getLogger(__name__)

Floats = NDArray[np.float64]
FOLDS = 5
FEW_LABELS = 200
_ROWS = 32
TEMPLATE = Path(__file__).with_name("topic_card.md.template")
LEAST_POSITIVES = 20
"""A topic with fewer texts is not measured."""
CURATED = "curated"
"""Sources of texts that were written for this product: the curve is not fitted on them."""
WAYS = ("in words", "words and counts, trained", "embeddings, trained", "embeddings, few labels")
TOPICS: Mapping[str, str] = json.loads(Path(__file__).with_name("topics_in_words.json").read_text())


@dataclass(frozen=True, kw_only=True)
class TopicQuality:
    """One topic of one source; ROC-AUC by way, NaN where a way could not be fitted."""

    source: str
    topic: str
    rows: int
    roc_auc: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The logistic curve from contrast to probability, and its error where it was not fitted."""

    slope: float
    intercept: float
    calibration_error: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m training topic-quality`."""
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="topics in meta.labels")
    parser.add_argument("--repository", type=Path, default=SHIPPED, help="whose topics model is measured")
    parser.add_argument(
        "--triton", default="", help="grpc://host:port of a server that serves it; needed for the engine nli"
    )
    parser.add_argument("--card", type=Path, help="also write the card here")


def main(arguments: argparse.Namespace) -> None:
    """Run the command."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    examples = dataset.read_as_served(dataset.load(arguments.data))
    about = json.loads((arguments.repository / "topics" / "1" / "topics.json").read_text())
    qualities, curve = measure(examples, repository=arguments.repository, triton=arguments.triton, told=about)
    card = card_of(qualities, curve=curve, told=about)
    log.info("%s", card)
    if arguments.card:
        arguments.card.write_text(card, encoding="utf-8")


def measure(
    examples: Sequence[Example], *, repository: Path, triton: str, told: Mapping[str, Any]
) -> tuple[list[TopicQuality], Curve | None]:
    """Measure every topic that enough texts of a source have, and fit the curve."""
    embed = _embedder(repository / "topics" / "1") if told["engine"] == "embeddings" else None
    qualities: list[TopicQuality] = []
    curve: Curve | None = None
    for source in sorted({example.source for example in examples}):
        rows = [example for example in examples if example.source == source]
        topics = [name for name in TOPICS if _labels(rows, name).sum() >= LEAST_POSITIVES]
        if not topics:
            continue
        vectors = embed([row.text for row in rows]) if embed else None
        by_words = (
            _contrasts(vectors, embed, topics, told)
            if vectors is not None and embed is not None and not triton
            else _asked(rows, topics, triton=triton)
        )
        counts = _counts([row.text for row in rows])
        for place, name in enumerate(topics):
            log.info("%s %s", source, name)
            qualities.append(_topic(rows, name, by_words=by_words[:, place], vectors=vectors, counts=counts))
        if vectors is not None and not triton and not source.startswith(CURATED):
            truths = np.stack([_labels(rows, name) for name in topics], axis=1)
            curve = _curve(by_words, truths, groups=[row.group for row in rows])
    return qualities, curve


def card_of(found: Sequence[TopicQuality], *, curve: Curve | None, told: Mapping[str, Any]) -> str:
    """Return the card as markdown."""
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        base=told["base"],
        engine=told["engine"],
        hypothesis=told["hypothesis"].format("…"),
        curve=_told(curve, told),
        summary="\n".join(_summary(found)),
    )


def _topic(
    rows: Sequence[Example], name: str, *, by_words: Floats, vectors: Floats | None, counts: Any
) -> TopicQuality:
    labels = _labels(rows, name)
    groups = [row.group for row in rows]
    folds = np.array([bucket(group, of=FOLDS) for group in groups])
    nowhere = np.full(len(rows), np.nan)
    ways = {
        WAYS[0]: by_words,
        WAYS[1]: _out_of_fold(counts, labels, folds=folds),
        WAYS[2]: nowhere if vectors is None else _out_of_fold(vectors, labels, folds=folds),
        WAYS[3]: nowhere if vectors is None else _out_of_fold(vectors, labels, folds=folds, most=FEW_LABELS),
    }
    return TopicQuality(
        source=rows[0].source,
        topic=name,
        rows=len(rows),
        roc_auc={
            way: math.nan if np.isnan(scores).any() else promise.roc_auc(labels, scores)
            for way, scores in ways.items()
        },
    )


def _labels(rows: Sequence[Example], name: str) -> Floats:
    return np.array([name in row.meta.get("labels", ()) for row in rows], dtype=np.float64)


def _out_of_fold(values: Any, labels: Floats, *, folds: NDArray[np.int_], most: int | None = None) -> Floats:
    """Return margins, each by a logistic regression that did not see the row's fold; NaN without positives to
    learn from.
    """
    from sklearn.linear_model import LogisticRegression

    margins = np.full(len(labels), np.nan)
    for fold in range(FOLDS):
        train = np.flatnonzero(folds != fold)
        if most is not None:
            train = np.random.default_rng(7).permutation(train)[:most]
        if labels[train].sum() < 2:
            return margins
        model = LogisticRegression(C=10.0, max_iter=500, class_weight="balanced")
        model.fit(values[train], labels[train])
        margins[folds == fold] = model.decision_function(values[folds == fold])
    return margins


def _counts(texts: Sequence[str]) -> Any:
    """TF-IDF of words and pairs of them; its weights see all texts, but no label."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True).fit_transform(texts)


def _contrasts(
    vectors: Floats, embed: Callable[[Sequence[str]], Floats], wanted: Sequence[str], told: Mapping[str, Any]
) -> Floats:
    hypotheses = embed([told["hypothesis"].format(TOPICS[name]) for name in wanted])
    nothing = embed([told["hypothesis"].format(told["neutral"])])
    return np.asarray(vectors @ (hypotheses - nothing).T)


def _asked(rows: Sequence[Example], wanted: Sequence[str], *, triton: str) -> Floats:
    model = TopicModel(url=triton, timeout_seconds=120)
    return model.probabilities([row.text for row in rows], topics=[TOPICS[name] for name in wanted])


def _curve(contrasts: Floats, truths: Floats, *, groups: Sequence[str]) -> Curve:
    """Fit on one half of the groups, measure on the other; real texts only."""
    from sklearn.linear_model import LogisticRegression

    half = np.array([bucket(group, of=2) == 0 for group in groups])
    model = LogisticRegression(C=1e6).fit(contrasts[half].reshape(-1, 1), truths[half].ravel())
    probabilities = model.predict_proba(contrasts[~half].reshape(-1, 1))[:, 1]
    return Curve(
        slope=float(model.coef_[0, 0]),
        intercept=float(model.intercept_[0]),
        calibration_error=compare.calibration_error(truths[~half].ravel(), probabilities),
    )


def _embedder(folder: Path) -> Callable[[Sequence[str]], Floats]:
    """Return a function that embeds texts as the server does."""
    import onnxruntime
    from tokenizers import Tokenizer

    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(128)

    def embed(texts: Sequence[str]) -> Floats:
        vectors: dict[int, Floats] = {}
        for rows in _batches([len(text) for text in texts]):
            tokenizer.enable_padding()
            encodings = tokenizer.encode_batch([texts[row] for row in rows])
            ids = np.array([encoding.ids for encoding in encodings], dtype=np.int32)
            mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int32)
            answer = session.run(["answer"], {"input_ids": ids, "attention_mask": mask})[0]
            vectors.update(zip(rows, np.asarray(answer, dtype=np.float64), strict=True))
        return np.stack([vectors[row] for row in range(len(texts))])

    return embed


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield rows of similar length together: padding costs as much as text."""
    by_length = sorted(range(len(lengths)), key=lengths.__getitem__)
    yield from (by_length[start : start + _ROWS] for start in range(0, len(by_length), _ROWS))


def _told(curve: Curve | None, told: Mapping[str, Any]) -> str:
    if curve is None:
        return "The probabilities are the model's own."
    return (
        f"Contrast becomes a probability by a logistic curve. Fitted on one half of the groups of the real "
        f"texts it has slope {curve.slope:.1f} and intercept {curve.intercept:.1f}, and an expected "
        f"calibration error of {curve.calibration_error:.3f} on the other half; the shipped curve has "
        f"{told['slope']} and {told['intercept']}."
    )


def _summary(found: Sequence[TopicQuality]) -> Iterator[str]:
    yield "| source | texts | topics | " + " | ".join(WAYS) + f" | {WAYS[0]}, lowest and highest topic |"
    yield "|---|--:|--:|" + "--:|" * len(WAYS) + "---|"
    for source in dict.fromkeys(row.source for row in found):
        rows = [row for row in found if row.source == source]
        means = [_mean([row.roc_auc[way] for row in rows]) for way in WAYS]
        ranked = sorted(rows, key=lambda row: row.roc_auc[WAYS[0]])
        ends = " and ".join(f"`{row.topic}` {row.roc_auc[WAYS[0]]:.2f}" for row in (ranked[0], ranked[-1]))
        yield f"| {source} | {rows[0].rows:,} | {len(rows)} | {' | '.join(means)} | {ends} |"


def _mean(values: Sequence[float]) -> str:
    finite = [value for value in values if not math.isnan(value)]
    if not finite:
        return "-"
    mean = f"{sum(finite) / len(finite):.3f}"
    return mean if len(finite) == len(values) else f"{mean} ({len(finite)} topics)"
