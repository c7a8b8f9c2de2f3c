"""The ensemble's part of the model card, generated from its release; no figure is typed by hand."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from scoring.ensemble import Ensemble, probabilities_of
from scoring.release import Release, Safety
from training import real_texts

TEMPLATE = Path(__file__).with_name("ensemble_card.md.template")
PART = "ensemble"


def write(release: Release) -> str:
    """Return the card as markdown."""
    records, metrics, thresholds = release.training["records"], release.metrics, release.thresholds
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        release=release.id[:12],
        schema=release.schema_hash[:12],
        content_version=release.content.version,
        calibration=release.calibration.method,
        rows=f"{records['rows']:,}",
        spam=f"{records['spam']:,}",
        groups=f"{records['groups']:,}",
        kinds=len(records["kinds"]),
        file=records["file"],
        sha256=records["sha256"][:16],
        copies=release.training["gapped_copies"],
        fitted_on=_fitted_on(release.training["fitted_on"]),
        texts=_texts(release.training["texts"], calibrations=release.training["calibration_log_losses"])
        + _kept_forests(release.training.get("forests_of")),
        **_bounds(release),
        review_from=f"{thresholds.review_from:.4f}",
        remove_from=f"{thresholds.remove_from:.4f}",
        audit_rate=f"{thresholds.audit_rate:.0%}",
        rule=release.training["thresholds_chosen"],
        test_rows="\n".join(_test_row(name, measures) for name, measures in metrics["test"].items()),
        alone=", ".join(f"{name} {value:.3f}" for name, value in metrics["pr_auc_of_each_sub_model"].items()),
        evidence="\n".join(map(_evidence_row, metrics["evidence"])),
        normaliser=release.normaliser,
        kind_rows="\n".join(_kind_row(row) for row in metrics["by_kind"]),
    )


def _bounds(release: Release) -> dict[str, str]:
    ensemble = Ensemble.load(release.folder)
    base_rate = float(probabilities_of(np.array([ensemble.base_rate]))[0])
    return {
        "excuse": f"{ensemble.bounds.excuse:g}",
        "earned": f"{ensemble.bounds.earned:g}",
        "suspicion": f"{ensemble.bounds.suspicion:g}",
        "base_rate": f"{base_rate:.0%}",
        "safety": _safety(release.safety),
    }


def _safety(safety: Safety) -> str:
    hold = ", ".join(f"{name} {bound:.2f}" for name, bound in safety.hold_from.items())
    remove = ", ".join(f"{name} {bound:.3f}" for name, bound in safety.remove_alone_from.items())
    return (
        "Whatever the rest says, a post is never allowed automatically if one sub-model is surer than its\n"
        f"bound: {hold}. Nothing is removed automatically unless two of\n"
        f"them call it spam or one is surer than its bound: {remove}."
    )


def _fitted_on(fitted_on: Mapping[str, Any]) -> str:
    """Return the numbers of simulated and decided posts."""
    decided = sum(platform["posts"] for platform in fitted_on["decided"].values())
    if not decided:
        return "Simulated:"
    return f"{fitted_on['simulated']:,} simulated and {decided:,} decided posts, which outweigh them:"


def _texts(texts: Sequence[Mapping[str, Any]], *, calibrations: Mapping[str, float]) -> str:
    if not texts:
        return "No real texts: calibration and thresholds rest on these records alone."
    files = "; ".join(
        f"{text['source']} {text['train']:,} and {text['validation']:,} (sha256 `{text['sha256'][:12]}`)"
        for text in texts
    )
    losses = ", ".join(f"{name} {loss:.4f}" for name, loss in calibrations.items())
    return (
        f"Beside them **real labelled texts**, each in {real_texts.COPIES} circumstances of those records\n"
        "that were drawn without a look at either's label, all together as heavy as the records: train\n"
        f"and validation part of {files}.\n"
        "What content says of them comes from trainings that left the text's group out. Calibration is\n"
        f"fitted on the bare texts of both parts (log loss on groups left out: {losses});\n"
        "thresholds and safety bounds are chosen on them in circumstances."
    )


def _kept_forests(release_id: str | None) -> str:
    """Say which release's forests were kept, if any."""
    if not release_id:
        return ""
    return (
        f"\nThe forests are those of release `{release_id[:12]}`, fitted to the texts that had an answer"
        " then;\ncurve, thresholds and bounds alone are new."
    )


def _test_row(name: str, measures: Mapping[str, Any]) -> str:
    cells = (
        name,
        f"{measures['rows']:,} ({measures['spam']:,})",
        f"{measures['roc_auc']:.4f}",
        f"{measures['pr_auc']:.4f}",
        f"{measures['calibration_error']:.3f}",
        f"{_share(measures['allowed_share'])} ({_share(measures['spam_among_allowed'])})",
        _share(measures["reviewed_share"]),
        f"{_share(measures['removed_share'])} ({_share(measures['precision_of_removed'])})",
    )
    return f"| {' | '.join(cells)} |"


def _kind_row(row: Mapping[str, Any]) -> str:
    sort = "spam" if row["is_spam"] else "not spam"
    allowed, removed = _share(row["allowed_share"]), _share(row["removed_share"])
    return f"| {row['kind']} ({sort}) | {row['rows']} | {allowed} | {removed} |"


def _evidence_row(row: Mapping[str, Any]) -> str:
    in_records, added = (
        "none" if row[name] is None else f"{row[name]:+.2f}" for name in ("in_records", "added")
    )
    return f"| {row['evidence']} | {row['posts']:,} ({row['spam']:,}) | {in_records} | {added} |"


def _share(value: float | None) -> str:
    return "none" if value is None else f"{value:.1%}"
