"""The content model's card, generated from what training and export measured."""

import dataclasses
import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from training import evaluate
from training.content_quality import DEEP_SHARE, SHIPPED
from training.cross_fit import DEEP, SIMPLE, WIDE
from training.fine_tune import Recipe

TEMPLATE = Path(__file__).with_name("model_card.md.template")
SOURCES = Path(__file__).with_name("sources.toml")

MODEL_NAMES = {
    SHIPPED: "**both halves (shipped)**",
    DEEP: "deep half: DistilBERT",
    WIDE: "wide half: pieces and pairs",
    SIMPLE: "TF-IDF of words and characters",
}


def write(*, model_folder: Path, card: Path) -> None:
    """Fill the template from metrics.json of the model's folder, and export.json and unseen.json if there."""
    metrics = json.loads((model_folder / "metrics.json").read_text())
    outcome, data = metrics["outcome"], metrics["data"]
    ham_weight, spam_weight = outcome["class_weights"]
    text = Template(TEMPLATE.read_text()).substitute(
        base=_first_base(metrics),
        sizes=_sizes(json.loads((model_folder / "config.json").read_text())),
        runs="\n".join(_runs(metrics)),
        class_weights=f"{ham_weight:.2f} for not spam, {spam_weight:.2f} for spam",
        parts=", ".join(f"{name} {count:,}" for name, count in outcome["parts"].items()),
        data_rows="\n".join(_data_row(entry) for entry in data),
        tested=table(outcome["models"]),
        threshold=f"{evaluate.THRESHOLD:g}",
        mix="{deep:.3f} · deep + {wide:.3f} · wide {intercept:+.3f}".format(**outcome["mix"]),
        deep_share=f"{DEEP_SHARE:.0%}",
        held_out=_held_out(metrics),
        left_out=table(outcome["held_out"]),
        unseen=_unseen(model_folder),
        robustness_rows="\n".join(map(_robustness_row, outcome["robustness"])),
        normaliser=outcome["normaliser"],
        files=_files(model_folder),
        commands="\n".join(_commands(metrics, data=_given(data), out=".state/content-model")),
    )
    card.parent.mkdir(parents=True, exist_ok=True)
    card.write_text(text)


def earlier(base: Path) -> dict[str, object] | None:
    """Return how the base was trained, if it is the outcome of an earlier run of this command."""
    metrics = base / "metrics.json"
    if not metrics.is_file():
        return None
    report = json.loads(metrics.read_text())
    return {
        "recipe": report["recipe"],
        "train_seconds": report["outcome"]["train_seconds"],
        "parts": report["outcome"]["parts"],
        "earlier": report.get("earlier"),
    }


def _first_base(run: Mapping[str, Any]) -> str:
    return _first_base(run["earlier"]) if run.get("earlier") else str(run["recipe"]["base"])


def _sizes(config: Mapping[str, Any]) -> str:
    return (
        f"{config['n_layers']} layers, width {config['dim']}, {config['n_heads']} heads, "
        f"{config['vocab_size']:,} pieces of words"
    )


def _runs(run: Mapping[str, Any]) -> list[str]:
    """Describe each run that led to the weights, in order."""
    recipe, outcome = run["recipe"], run.get("outcome", run)
    earlier = _runs(run["earlier"]) if run.get("earlier") else []
    if not recipe["epochs"]:
        return [*earlier, "- then calibrated and measured as it was, without further training"]
    parts = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in recipe.items() if name != "base")
    begins = "then" if earlier else "from the base"
    minutes = f"{outcome['train_seconds'] / 60:.0f} minutes"
    return [*earlier, f"- {begins}, on {outcome['parts']['train']:,} normalised texts: {parts}; {minutes}"]


def _given(data: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(entry["file"]) for entry in data if entry["sources"] not in (["starter"], ["curated"])]


def _data_row(entry: Mapping[str, Any]) -> str:
    sources = tomllib.loads(SOURCES.read_text(encoding="utf-8"))
    told = [sources.get(name, {"what": name, "licence": "ask its owner"}) for name in entry["sources"]]
    what, licence = ("; ".join(one[column] for one in told) for column in ("what", "licence"))
    share = entry["spam"] / entry["rows"]
    return (
        f"| {entry['file']} | {entry['rows']:,} ({share:.0%}) | {', '.join(entry['provenance'])} | {what} "
        f"| {licence} | `{entry['sha256'][:16]}…` |"
    )


def table(models: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return each model's quality by source as a table in Markdown; of one half that of all texts.

    `models` is what metrics.json holds.
    """
    rows = [
        f"| {MODEL_NAMES[name]} | {quality['source']} | {quality['rows']} ({quality['spam']}) "
        f"| {_interval(quality['f1'])} | {_interval(quality['roc_auc'])} | {_interval(quality['pr_auc'])} "
        f"| {quality['precision']:.3f} / {quality['recall']:.3f} | {quality['calibration_error']:.3f} |"
        for name, qualities in models.items()
        for quality in qualities
        if name not in (DEEP, WIDE) or quality["source"] == "all"
    ]
    return "\n".join(
        [
            "| model | source | texts (spam) | F1 | ROC-AUC | PR-AUC | precision / recall | ECE |",
            "|---|---|---|---|---|---|---|---|",
            *rows,
        ]
    )


def _held_out(run: Mapping[str, Any]) -> str:
    folds = run["recipe"]["folds"]
    if run["held_out"]:
        return (
            "the validation part. What is fitted on top of this model reads, for the train part, "
            "held-out answers of the training before, and its outcome's to what that had not learned, "
            "unless `unseen --folds` wrote others"
        )
    if not folds:
        return "the validation part"
    return (
        f"{folds} folds over the groups of the train and validation parts, each answered by a training "
        "without it"
    )


def _unseen(model_folder: Path) -> str:
    """Return the quality on sources left out of training, once `unseen` measured it."""
    path = model_folder / "unseen.json"
    if not path.exists():
        return "Not measured: `python -m training unseen` does it, with the options of `content`."
    return (
        "Each answered by a training without it, and calibrated on what the other trainings answered.\n\n"
        + table(json.loads(path.read_text()))
    )


def _robustness_row(found: Mapping[str, Any]) -> str:
    return (
        f"| {found['attack'].replace('_', ' ')} | {found['recall']:.3f} "
        f"| {found['recall_without_normaliser']:.3f} |"
    )


def _commands(run: Mapping[str, Any], *, data: Sequence[str], out: str) -> list[str]:
    """Return the command of each run that led to the weights, with the options that differ from defaults."""
    default = dataclasses.asdict(Recipe())
    base = f"{out}-before"
    recipe = run["recipe"] | ({"base": base} if run.get("earlier") else {})
    options = [
        "--bf16" if name == "is_bf16" else f"--{name.replace('_', '-')} {value}"
        for name, value in recipe.items()
        if value != default[name]
    ]
    files = " ".join(f"../shared/data/{name}" for name in data)
    if run.get("held_out"):
        options.append(f"--held-out {base}/{run['held_out']}")
    command = " ".join(["python -m training content --data", files, *options, "--out", out])
    earlier = _commands(run["earlier"], data=data, out=base) if run.get("earlier") else []
    return [*earlier, command]


def _interval(estimate: Mapping[str, float]) -> str:
    return f"{estimate['value']:.3f} ({estimate['low']:.3f} to {estimate['high']:.3f})"


def _files(model_folder: Path) -> str:
    weights = model_folder / "model.safetensors"
    lines = [
        f"- trained weights: `{weights.name}`, sha256 `{hashlib.sha256(weights.read_bytes()).hexdigest()}`"
    ]
    exported = model_folder / "export.json"
    if exported.exists():
        export = json.loads(exported.read_text())
        lines.append(
            f"- served: `triton_repo/distilbert/1/model.onnx`, {export['bytes']:,} bytes, sha256 "
            f"`{export['sha256']}`: INT8 word embeddings, FP16 weights, FP32 or BF16 arithmetic; largest "
            f"logit difference to torch {export['fp32_difference']:.1g} before and "
            f"{export['small_weights_difference']:.1g} after "
            "rounding the weights"
        )
    return "\n".join(lines)
