"""Train the live content model further on a platform's labels, without catastrophic forgetting.

Texts of the sources that it was trained on are learned again beside the labels (experience replay: Rolnick et
al., 2019): DistilBERT reads a sample of them, the wide half is fitted anew to all of them. Every
source's test part is measured before and after; one that loses more than a point is named.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from training import content_quality, cross_fit, dataset, fine_tune, paired, platt, served_weights
from training.cross_fit import HeldOut
from training.dataset import Example, Split
from training.evaluate import Floats
from training.fine_tune import Recipe
from training.paired import Change
from training.wide import Mix

if TYPE_CHECKING:
    from training.wide_and_deep import WideAndDeep

    Answer = Callable[[WideAndDeep, Sequence[Example]], Floats]

log = logging.getLogger(__name__)

RECIPE = Recipe(base="live", epochs=2, batch_size=32, learning_rate=3e-5)
"""Differences from a first training: the weights exist and must stay near."""

LARGEST_LOSS = 0.01
"""Largest loss of ROC-AUC or F1 on the test part of a known source."""

CERTAIN_BELOW = 0.0
"""A loss is certain if the interval of the difference, by its upper end, lies below this."""

ENOUGH_TEXTS = 100
"""Minimum texts of a test part; with fewer a single error moves F1 by more than a point."""

LEAST_OF_EACH = 8
"""Minimum labels per class: with fewer the model would learn that the whole platform is of the other class.
"""

SHARES = (1.0, 0.8, 0.6, 0.4, 0.2)
"""Shares of the new weights in the average with the old ones; the largest that forgets nothing is taken."""

_REPLAYED_PER_LABEL = 8
_LEAST_REPLAYED = 600
_BEFORE = "before"


class TooFew(ValueError):
    """Fewer than LEAST_OF_EACH labels of either sort; the message has the counts."""


class Forgotten(Exception):
    """The trained model is worse on a known source; the message names each with its loss."""


@dataclass(frozen=True, kw_only=True)
class Texts:
    """Labelled texts of a run: the platform's own, and those of the sources that the live model knew."""

    labels: Sequence[Example]
    replay: Sequence[Example]

    def of(self, split: Split) -> list[Example]:
        """Return both kinds' examples of one part."""
        return [*dataset.part(self.labels, split=split), *dataset.part(self.replay, split=split)]


def run(*, live: Path, models: Path, texts: Texts, recipe: Recipe, out: Path) -> list[Change]:
    """Train further, write the model and continued.json into `out`, return what changed by source.

    `live` is the folder of a release, whose content model is installed in `models`, or a model repository.
    Raises TooFew or served_weights.Unreadable, and Forgotten once everything is written.
    """
    _check(texts.labels)
    model, tokenizer = served_weights.load(live, models=models)

    def answer(model: WideAndDeep, asked: Sequence[Example]) -> Floats:
        return fine_tune.spam_probabilities(model, tokenizer, texts=[example.text for example in asked])

    base = out / _BEFORE
    fine_tune.save(model, tokenizer, out=base)
    trained = _trained(
        texts,
        said=lambda asked: fine_tune.spam_probabilities(model, tokenizer, texts=asked),
        recipe=dataclasses.replace(recipe, base=str(base)),
        out=out,
    )
    shutil.rmtree(base)
    examples = dataset.read_as_served(dataset.part(texts.replay, split=Split.VALIDATION))
    share, mean = averaged(model, trained, answer=answer, known=examples)
    fine_tune.save(mean, tokenizer, out=out)

    tested = dataset.read_as_served(texts.of(Split.TEST))
    changes = paired.by_source(tested, before=answer(model, tested), after=answer(mean, tested))
    _write(changes, share=share, live=live, texts=texts, recipe=recipe, out=out)
    sources = {example.source for example in texts.replay}
    check_kept([change for change in changes if change.source in sources])
    return changes


def averaged(
    live: WideAndDeep, trained: WideAndDeep, *, answer: Answer, known: Sequence[Example]
) -> tuple[float, WideAndDeep]:
    """Return the largest of SHARES, and the model, at which nothing is lost on the known validation texts.

    The smallest of them if something is lost at each.
    """
    from training import wide_and_deep

    before = answer(live, known)
    for share in SHARES:
        mean = wide_and_deep.averaged(live, trained, share=share)
        after = answer(mean, known)
        lost = _lost(paired.by_source(known, before=before, after=after))
        log.info("%g of the new weights: %s", share, "; ".join(lost) or "nothing lost on validation")
        if not lost:
            break
    return share, mean


def check_kept(changes: Sequence[Change]) -> None:
    """Raise Forgotten if a known source with ENOUGH_TEXTS certainly lost, and more than LARGEST_LOSS.

    Of a test part with 78 spam texts one alone moves F1 by a point: a loss whose interval reaches zero is
    printed, but proves nothing.
    """
    if lost := _lost([change for change in changes if change.high < CERTAIN_BELOW]):
        raise Forgotten(f"more than {LARGEST_LOSS:g} was lost on {'; '.join(lost)}")
    if unsure := _lost(changes):
        log.warning("perhaps lost, the interval reaches zero: %s", "; ".join(unsure))


def _lost(changes: Sequence[Change]) -> list[str]:
    return [
        f"{change.source}: {change.metric} {change.before:.3f} → {change.after:.3f}"
        for change in changes
        if change.texts >= ENOUGH_TEXTS and change.before - change.after > LARGEST_LOSS
    ]


def replayed(examples: Sequence[Example], *, count: int, seed: int) -> list[Example]:
    """Draw `count` examples in which every source comes as often as it can, with its own share of spam.

    With as much spam as other texts the model would come to expect more of it from every source.
    """
    counts: Counter[str] = Counter()
    ranks = []
    order = np.random.default_rng(seed).permutation(len(examples)).tolist()
    for row in order:
        ranks.append(counts[examples[row].source])
        counts[examples[row].source] += 1
    pairs = sorted(zip(ranks, order, strict=True))[:count]
    return [examples[row] for row in sorted(row for _, row in pairs)]


def _check(labels: Sequence[Example]) -> None:
    spam = sum(example.label for example in labels)
    if min(spam, len(labels) - spam) < LEAST_OF_EACH:
        raise TooFew(
            f"{spam} labels are spam and {len(labels) - spam} are not; at least {LEAST_OF_EACH} of each sort "
            "are needed: label random posts"
        )


def _trained(texts: Texts, *, said: cross_fit.Answer, recipe: Recipe, out: Path) -> WideAndDeep:
    """Fit both halves, join and calibrate them."""
    new, old = (dataset.part(kind, split=Split.TRAIN) for kind in (texts.labels, texts.replay))
    count = max(_LEAST_REPLAYED, _REPLAYED_PER_LABEL * len(new))
    again = replayed(old, count=count, seed=recipe.seed)
    ids = {id(example) for example in again}
    validation = texts.of(Split.VALIDATION)
    log.info("learning from %d labels and %d of %d replayed texts", len(new), len(again), len(old))
    halves = cross_fit.train(
        {Split.TRAIN: [*new, *again], Split.VALIDATION: validation},
        recipe=recipe,
        out=out,
        besides=[example for example in old if id(example) not in ids],
    )
    held_out = cross_fit.on_validation(dataset.part(texts.replay, split=Split.VALIDATION), halves=halves)
    return halves.joined(_mix(held_out, said=said))


def _mix(held: HeldOut, *, said: cross_fit.Answer) -> Mix:
    """Join the halves so that on the known sources they are as confident as the live model was.

    It was calibrated on many more texts than are held out here, and no platform's decisions move the curve
    that all platforms share.
    """
    mix = content_quality.calibrate(held).mix
    targets = said([example.text for example in held.examples])
    answers = content_quality.mixed(mix, answers=held.answers)
    return mix.calibrated(platt.fit_to(targets, answers, sources=held.sources))


def _write(
    changes: Sequence[Change], *, share: float, live: Path, texts: Texts, recipe: Recipe, out: Path
) -> None:
    report = {
        "live": live.name,
        "share": share,
        "recipe": dataclasses.asdict(recipe),
        "labels": len(texts.labels),
        "replay": dict(Counter(example.source for example in texts.replay)),
        "changes": [dataclasses.asdict(change) for change in changes],
    }
    (out / "continued.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    for line in paired.table(changes):
        log.info("%s", line)
