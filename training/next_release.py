"""`python -m training next-release`: from decisions to a judged candidate, step by step.

Each result is kept with a digest of its step's input: a restart continues where it was.
"""

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from scoring import gate
from scoring.content import Unavailable
from scoring.features import SCHEMA_HASH
from scoring.release import MANIFEST, Release, file_sha256
from training import (
    added_links,
    continue_content,
    evaluate_releases,
    export_onnx,
    label_noise,
    labelled_records,
    served_content,
    train_content,
    train_ensemble,
    train_heads,
    whole_folder,
)
from training.served_content import Served

CANDIDATE, REPORT, SUSPICIOUS = "candidate", "report", "suspicious.jsonl"
_STEPS = "steps.json"
_WEIGHTS = Path("distilbert") / "1" / "model.onnx"
_FILES = {
    "records": "simulated records: with them the ensemble is refitted on them and the decisions",
    "texts": "real labelled texts that the refitted ensemble is calibrated on, as the shipped one is",
    "data": "more labelled posts or texts that judge the candidate",
    "replay": "texts that the live content model was trained on: beside them it learns the labels",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--labels", type=Path, nargs="+", required=True, help="exports of decisions, oldest first"
    )
    parser.add_argument("--live", type=Path, required=True, help="folder of the live release")
    for name, help_line in _FILES.items():
        parser.add_argument(f"--{name}", type=Path, nargs="+", default=[], help=help_line)
    parser.add_argument(
        "--bf16", dest="is_bf16", action="store_true", help="train it in BF16, where the processor has it"
    )
    served_content.add_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help=f"folder for {CANDIDATE}/ and {REPORT}/")


def main(arguments: argparse.Namespace) -> None:
    """Make and judge a candidate; print what to do next. Exits with EX_TEMPFAIL if Triton is away."""
    given = Given(**{field.name: getattr(arguments, field.name) for field in fields(Given)})
    try:
        run(given, out=arguments.out, served=Served.named_by(arguments))
    except Unavailable as away:
        sys.stderr.write(f"The content model is away: {away}\n")
        sys.exit(os.EX_TEMPFAIL)
    except (continue_content.TooFew, continue_content.Forgotten, added_links.Refused) as refused:
        raise SystemExit(str(refused)) from refused


@dataclass(frozen=True, kw_only=True)
class Given:
    """The material of a next release; with `replay` the content model is trained further, too."""

    labels: Sequence[Path]
    live: Path
    records: Sequence[Path] = ()
    texts: Sequence[Path] = ()
    data: Sequence[Path] = ()
    replay: Sequence[Path] = ()
    is_bf16: bool = False


def run(given: Given, *, out: Path, served: Served) -> Release:
    """Fit what the decisions allow, judge it, and return the candidate; `out` keeps every step.

    Raises content.Unavailable, labelled_lines.Malformed, release.Corrupt, added_links.Refused, or
    continue_content.TooFew and Forgotten.
    """
    out.mkdir(parents=True, exist_ok=True)
    steps, base, promoted_with = _Steps(out / _STEPS), given.live, ""
    if given.replay:
        repository = _trained_further(steps, given, out=out, models=served.models)
        served = replace(served, repository=repository)
        base, promoted_with = out / "content-release", f" --repository {repository}"
        reads = [*given.labels, given.live / MANIFEST, repository / _WEIGHTS]
        with steps.step("pin", reads=reads, makes=base / MANIFEST) as is_due:
            if is_due:
                pin_content(given.live, labels=given.labels, served=served, out=base)
    if given.records:
        base = _refitted(steps, given, base=base, out=out, served=served)
    candidate = _with_heads(steps, given, base=base, out=out, served=served)
    report = _judged(steps, given, candidate=candidate, out=out, served=served)
    figures = json.loads(report.read_text(encoding="utf-8"))
    for line in summary(candidate, report=figures):
        sys.stdout.write(line + "\n")
    doubted = out / SUSPICIOUS
    if doubted.exists():
        count = len(doubted.read_text(encoding="utf-8").splitlines())
        sys.stdout.write(f"\n{count} decisions are probably wrong: manage.py suspicious_labels {doubted}\n")
    if gate.verdict(figures["findings"]) == gate.Verdict.PASSED:
        sys.stdout.write(f"\nmanage.py promote {candidate.folder} --report {report}{promoted_with}\n")
    return candidate


def _trained_further(steps: "_Steps", given: Given, *, out: Path, models: Path) -> Path:
    """Train the live content model further and export it; return its model repository."""
    content, repository = out / "content", out / "repository"
    weights = content / "model.safetensors"
    reads = [*given.labels, *given.replay, given.live / MANIFEST]
    with steps.step("content", reads=reads, makes=weights) as is_due:
        if is_due:
            train_content.further(
                given.live,
                models=models,
                labels=given.labels,
                replay=[*given.replay, *train_content.OWN_TEXTS],
                recipe=replace(continue_content.RECIPE, is_bf16=given.is_bf16),
                out=content,
            )
    with steps.step("export", reads=[weights], makes=repository / _WEIGHTS) as is_due:
        if is_due:
            export_onnx.export(model_folder=content, repository=repository)
    return repository


def pin_content(live: Path, *, labels: Sequence[Path], served: Served, out: Path) -> None:
    """Pin the content model of a repository, with its probes, in a copy of a release.

    The head of a platform whose labels the model learnt would count them twice: it is removed, and fitted
    anew to other decisions. Raises release.Corrupt or content.Unavailable.
    """
    base = Release.load(live)
    pinned = served_content.pin(served.repository, version=base.content.version)
    content = served_content.connect(pinned, normaliser=base.normaliser, served=served)
    probed = served_content.with_probes(pinned, content=content)
    platforms = {post.platform for post in labelled_records.load(*labels, with_reported=True)}
    changed = without_heads(base, platforms=platforms) | {"content": asdict(probed)}
    with whole_folder.release_like(base, names=changed["files"], out=out) as (_, manifest):
        manifest.update(changed)


def without_heads(base: Release, *, platforms: Collection[str]) -> dict[str, Any]:
    """Return what changes in a release's manifest without the heads and curves of some platforms."""
    names = {name for platform, name in base.heads.items() if platform in platforms}
    entries = {
        part: {name: entry for name, entry in base.manifest.get(part, {}).items() if name not in platforms}
        for part in ("heads", "platforms")
    }
    files = {name: digest for name, digest in base.files.items() if name not in names}
    return entries | {"files": files}


def _refitted(steps: "_Steps", given: Given, *, base: Path, out: Path, served: Served) -> Path:
    """Refit the ensemble of a release on simulated records and decisions; return the folder."""
    refitted = out / "ensemble"
    reads = [*given.records, *given.texts, *given.labels, base / MANIFEST]
    with steps.step("ensemble", reads=reads, makes=refitted / MANIFEST) as is_due:
        if is_due:
            config = train_ensemble.Config(
                posts=[*given.records, *given.labels], texts=given.texts, feature_models=base
            )
            train_ensemble.run(config, served=served, out=refitted)
    return refitted


def _with_heads(steps: "_Steps", given: Given, *, base: Path, out: Path, served: Served) -> Release:
    candidate = out / CANDIDATE
    with steps.step("heads", reads=[*given.labels, base / MANIFEST], makes=candidate / MANIFEST) as is_due:
        if is_due:
            outcome = train_heads.run(
                base,
                labels=given.labels,
                content_knows_labels=bool(given.replay),
                served=served,
                out=candidate,
            )
            label_noise.write(outcome.suspicions, path=out / SUSPICIOUS)
    return Release.load(candidate)


def _judged(steps: "_Steps", given: Given, *, candidate: Release, out: Path, served: Served) -> Path:
    report = out / REPORT / "report.json"
    data = [*given.labels, *given.records, *given.texts, *given.data]
    reads = [*data, given.live / MANIFEST, candidate.folder / MANIFEST]
    with steps.step("evaluate", reads=reads, makes=report) as is_due:
        if is_due:
            evaluate_releases.run(
                candidate.folder, against=given.live, data=data, served=served, out=report.parent
            )
    return report


def summary(candidate: Release, *, report: dict[str, Any]) -> Iterator[str]:
    """Summarise training, changes, and the gate's findings."""
    yield f"candidate {candidate.id[:12]}"
    yield from train_heads.told(candidate)
    for part in report["slices"]:
        if part["by"] in {"all", "source"}:
            pr_auc = part["metrics"]["pr_auc"]
            if pr_auc["live"] is not None and pr_auc["candidate"] is not None:
                yield (
                    f"PR-AUC on {part['name']}: {pr_auc['live']:.3f} live, "
                    f"{pr_auc['candidate']:.3f} candidate ({part['rows']} posts)"
                )
    yield from gate.told(report["findings"])


@dataclass(frozen=True)
class _Steps:
    """The digest of each step's input when it was last done."""

    path: Path

    @contextmanager
    def step(self, name: str, *, reads: Sequence[Path], makes: Path) -> Iterator[bool]:
        """Tell whether a step has to be done; remember its input once it is."""
        digest = _digest(reads)
        digests = self._done()
        if digests.get(name) == digest and makes.exists():
            sys.stdout.write(f"{name}: as before\n")
            yield False
            return
        sys.stdout.write(f"{name} …\n")
        sys.stdout.flush()
        begun, used = time.monotonic(), time.process_time()
        yield True
        self.path.write_text(json.dumps(digests | {name: digest}, indent=1) + "\n", encoding="utf-8")
        took, used = time.monotonic() - begun, time.process_time() - used
        sys.stdout.write(f"{name}: {took:.0f} s, {used:.0f} s of processor time beside the content model's\n")

    def _done(self) -> dict[str, str]:
        try:
            digests = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return digests if isinstance(digests, dict) else {}


def _digest(paths: Sequence[Path]) -> str:
    lines = [SCHEMA_HASH, *(f"{path.name} {file_sha256(path)}" for path in paths)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
