"""`python -m training ensemble`: fit sub-models and main tree on records, write a release."""

import argparse
import dataclasses
import json
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from scoring import evidence_model, features, normalise
from scoring.ensemble import Ensemble
from scoring.features import Models
from scoring.features.feature import MODEL_FILES
from scoring.label_balance import ENOUGH_FOR_ROUTES
from scoring.pins import ContentPin
from scoring.pipeline import ContentProtocol
from scoring.release import MANIFEST, Release, Thresholds, file_sha256
from scoring.splits import Split
from training import (
    added_links,
    calibrate,
    cards,
    choose_routes,
    ensemble_card,
    held_out,
    labelled_records,
    measure_ensemble,
    mixture,
    real_texts,
    served_content,
    whole_folder,
)
from training.choose_routes import Choice
from training.ensemble_rows import GAPPED_COPIES, Material, ask_content
from training.fit_ensemble import fit
from training.labelled_lines import Origin
from training.labelled_records import LabelledRecord, bare
from training.real_texts import RealTexts
from training.served_content import Served
from training.train_urls import URLS_MANIFEST

SEED = 20_260
# The evidence model is fitted to log-odds, which mean the same after a refit on the same content model.
_OTHERS = (*MODEL_FILES, URLS_MANIFEST, *evidence_model.FILES)
_CONTENT_VERSION = "1"
_SHIPPED = Path(__file__).resolve().parents[1] / "scoring" / "starter"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    labelled_records.add_arguments(parser)
    served_content.add_arguments(parser)
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="folder of the release; the shipped URL and journey models are copied there if it has no others",
    )
    parser.add_argument("--card", type=Path, help="page whose ensemble part is rewritten, docs/models.md")
    parser.add_argument(
        "--texts",
        type=Path,
        nargs="*",
        default=[],
        help="real labelled texts: learnt in drawn circumstances, and what the rest is chosen on",
    )
    answers = "what `content` wrote beside the model: answers to texts by trainings that left them out"
    parser.add_argument("--held-out", type=Path, default=held_out.SHIPPED, help=answers)
    parser.add_argument(
        "--forests",
        type=Path,
        help="a release whose forests are kept: only curve, thresholds and bounds are new",
    )
    parser.add_argument("--seed", type=int, default=SEED, help="the same seed gives the same release")


def main(arguments: argparse.Namespace) -> None:
    """Run the command: measure, write release and card; exit with 1 if links change too many routes."""
    same = ("texts", "held_out", "forests", "seed")
    config = Config(
        posts=[*arguments.records, *arguments.labels],
        **{name: getattr(arguments, name) for name in same},
    )
    try:
        run(config, served=Served.named_by(arguments), out=arguments.out, card=arguments.card)
    except added_links.Refused as why:
        sys.exit(f"refused: {why}")


@dataclass(frozen=True, kw_only=True)
class Config:
    """Data of a release: records and decisions, real texts, answers of trainings without these."""

    posts: Sequence[Path]
    texts: Sequence[Path] = ()
    held_out: Path = held_out.SHIPPED
    feature_models: Path = _SHIPPED
    forests: Path | None = None
    seed: int = SEED


def run(config: Config, *, served: Served, out: Path, card: Path | None = None) -> Release:
    """Train, measure, write the release into `out` and its card into the page `card`; return the release.

    Raises content.Unavailable, labelled_lines.Malformed, and added_links.Refused once all is written.
    """
    _bring_models(config.feature_models, out=out)
    pin = served_content.pin(served.repository, version=_CONTENT_VERSION)
    content = served_content.connect(pin, normaliser=normalise.VERSION, served=served)
    release = train(
        labelled_records.given(config.posts),
        config=config,
        content=content,
        out=out,
        pin=served_content.with_probes(pin, content=content),
    )
    cards.publish(ensemble_card.write(release), part=ensemble_card.PART, page=card)
    added_links.check(release, content=content)
    return release


def train(
    labelled: Sequence[LabelledRecord],
    *,
    config: Config,
    content: ContentProtocol,
    out: Path,
    pin: ContentPin,
) -> Release:
    """Fit on the train part, calibrate on the validation part, measure on the test part, write it all.

    Decisions outweigh simulated records in the fit (mixture.py). Calibration, thresholds and safety bounds
    are chosen on real texts if given (choose_routes.py), else on simulated records: decisions are of some
    platforms only, the curve is for all. With `forests` those of that release are kept. The URL and
    journey models that lie in `out` become part of the release. Raises Corrupt if one is damaged.
    """
    texts, seed = config.texts, config.seed
    models = Models.load(out, files=_present(out, MODEL_FILES))
    of_content = ask_content(labelled, content=content)
    material = Material(labelled, of_content, seed, models)
    real = {
        split: real_texts.load(texts, split=split, content=content, models=models, answers=config.held_out)
        for split in (Split.TRAIN, Split.VALIDATION)
        if texts
    }
    ensemble = (
        Ensemble.load(config.forests)
        if config.forests
        else _fitted(Material(mixture.mixed(labelled), of_content, seed, models), real=real.get(Split.TRAIN))
    )
    validation = _calibrating(material).part(Split.VALIDATION).rows_with_gaps()
    # The forests read no text, so those of the train part are as good here: content is held out.
    both = real[Split.TRAIN].and_those(real[Split.VALIDATION]) if texts else None
    choice = (
        choose_routes.on_texts(ensemble, both, surroundings=validation, seed=seed)
        if both
        else choose_routes.on_records(ensemble, validation)
    )
    manifest = {
        "content": dataclasses.asdict(pin),
        "sub_models": served_content.tree_digests(ensemble),
        "schema_hash": features.SCHEMA_HASH,
        "normaliser": normalise.VERSION,
        "bounds": dataclasses.asdict(ensemble.bounds),
        "safety": dataclasses.asdict(choice.safety),
        "calibration": dataclasses.asdict(choice.calibration),
        "thresholds": {name: getattr(choice.thresholds, name) for name in Thresholds.__slots__},
        "training": _training(labelled, config=config, choice=choice)
        | {
            "texts": real_texts.described(texts, real),
            "forests_of": Release.load(config.forests).id if config.forests else None,
        },
        "metrics": _metrics(material.part(Split.TEST), ensemble=ensemble, choice=choice)
        | {"evidence": measure_ensemble.by_evidence(material.part(Split.TRAIN).rows(), ensemble=ensemble)},
    }
    _write(out, ensemble=ensemble, manifest=manifest)
    return Release.load(out)


def _fitted(material: Material, *, real: RealTexts | None) -> Ensemble:
    """Fit the forests on the train part, and on real texts in its circumstances."""
    # One thread: the sums then do not depend on the machine's cores, and so few rows are not slower for it.
    with threadpool_limits(limits=1):
        rows = material.part(Split.TRAIN).rows_with_gaps()
        surrounded = real.surrounded(rows, copies=real_texts.COPIES, seed=material.seed) if real else None
        return fit(rows, real=surrounded, models=material.models, seed=material.seed)


def _write(out: Path, *, ensemble: Ensemble, manifest: dict[str, Any]) -> None:
    """Write the release anew, with the models that lie in `out`."""
    names = _present(out, _OTHERS)
    with whole_folder.written(out) as folder:
        for name in names:
            shutil.copy(out / name, folder / name)
        files = {name: file_sha256(folder / name) for name in (ensemble.save(folder).name, *names)}
        whole = {"content": manifest["content"], "files": files} | manifest
        text = json.dumps(whole, indent=1, allow_nan=False)
        (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def _bring_models(folder: Path, *, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name in _present(folder, _OTHERS):
        if not (out / name).exists():
            shutil.copy(folder / name, out / name)


def _present(folder: Path, names: Sequence[str]) -> list[str]:
    return [name for name in names if (folder / name).exists()]


def _calibrating(material: Material) -> Material:
    """Keep the posts that choose the curve and thresholds of all platforms: not decisions, which are of some.
    A platform's own curve stands with its head. Without anything else, random decisions will do.
    """
    is_decided = np.array([post.origin is Origin.DECIDED for post in material.labelled])
    if not is_decided.all():
        return material.taken(~is_decided)
    is_random = np.array([post.is_random for post in material.labelled])
    if is_random.sum() < ENOUGH_FOR_ROUTES:
        raise calibrate.TooFewRandom(
            f"{is_random.sum()} random labels and no simulated record: thresholds need at least "
            f"{ENOUGH_FOR_ROUTES}. Give --records, or label more random posts."
        )
    return material.taken(is_random)


def _training(labelled: Sequence[LabelledRecord], *, config: Config, choice: Choice) -> dict[str, Any]:
    """Describe the training data, for the manifest."""
    return {
        "simulated": any(post.origin is Origin.SIMULATED for post in labelled),
        "fitted_on": mixture.fitted_on(labelled),
        "records": {
            **labelled_records.sources(config.posts),
            "rows": len(labelled),
            "spam": sum(post.is_spam for post in labelled),
            "groups": len({post.group for post in labelled}),
            "kinds": dict(sorted(Counter(post.kind for post in labelled).items())),
        },
        "gapped_copies": GAPPED_COPIES,
        "seed": config.seed,
        "calibration_log_losses": dict(choice.log_losses),
        "thresholds_chosen": choice.rule,
        "libraries": {name: version(name) for name in ("numpy", "scikit-learn")},
    }


def _metrics(test: Material, *, ensemble: Ensemble, choice: Choice) -> dict[str, Any]:
    """Measure the test part whole, with random gaps, bare, and without the content model."""
    complete = test.rows()
    variants = {
        "complete": complete,
        "with random gaps": test.rows_with_gaps(),
        "bare (text and links only)": test.rows(change=bare),
        "without content": dataclasses.replace(
            complete, content_probabilities=np.full(len(complete.is_spam), np.nan)
        ),
    }
    results = {
        name: measure_ensemble.measure(
            rows, ensemble=ensemble, calibration=choice.calibration, thresholds=choice.thresholds
        )
        for name, rows in variants.items()
    }
    return {
        "simulated": any(post.origin is Origin.SIMULATED for post in test.labelled),
        "test": {name: measures for name, (measures, _) in results.items()},
        "pr_auc_of_each_sub_model": measure_ensemble.family_pr_auc(complete, ensemble=ensemble),
        "by_kind": measure_ensemble.by_kind(
            [post.kind for post in test.labelled],
            is_spam=complete.is_spam,
            probabilities=results["complete"][1],
            thresholds=choice.thresholds,
        ),
    }
