"""How fast does a platform that nobody trained on get better? The whole cycle, through a running product.

make bench ARGS="adaptation --source ../shared/data/sms_thai.jsonl"
make bench ARGS="adaptation --seeds 1 --sizes 50 200"      (quick)

Starts a product of its own. For each seed a new platform sends half of a source's groups through the API,
texts alone; its moderator decides what the queue and the audit sample show, by the true label. After each
number of decisions `manage.py next_release` is run and its candidate promoted, if the gate lets it, and the
other half is put to the product. The ceiling is the same cycle once every post of the first half is decided.
Beside it stands TF-IDF with logistic regression on the same decisions. What nothing here reads does not run:
explanations, webhooks, exports by page. Any labelled file will do: JSON lines with text, label, group, and
lang if known.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import django
import numpy as np

from deploy.local.places import ROOT
from lab import _source, _stack, _variant
from lab._measured import QUALITY, Measured, mean_and_worst
from lab._promises import CEILING, promises, ratio
from lab._source import Text
from scoring.release import Release
from training.labelled_lines import Malformed

_DATA = Path("../shared/data")
_SOURCES = [_DATA / f"{name}.jsonl" for name in ("sms_thai", "sms_hindi_mt")]
_OTHERS = [_DATA / f"{name}.jsonl" for name in ("sms_uci", "youtube_uci", "x_janitr")]
_SIZES = (50, 100, 200, 300, 400)
_NAME = "adaptation"


def main() -> None:
    """Print a table and the promises for each source; exit code 1 if one is not held."""
    options = _options()
    sources = {path: _checked(path, most=options.texts) for path in options.source}
    shutil.rmtree(ROOT / ".state" / "bench" / _NAME, ignore_errors=True)
    settings = {"SPAMDESK_UNDO_SECONDS": "1"}
    with _stack.running(
        name=_NAME,
        has_triton=True,
        has_web=True,
        scoring_processes=1,
        has_sweeps=True,
        settings=settings | _release(options),
        repository=options.repository,
    ):
        django.setup()
        held = [_told(path, texts, options=options) for path, texts in sources.items()]
    sys.exit(0 if all(held) else 1)


def _checked(path: Path, *, most: int) -> list[Text]:
    """Read a source; ends with a line that names file, line and field where it cannot be used."""
    try:
        texts = _source.limited(_source.read(path), most=most)
        _source.halved(texts, seed=1)
    except (Malformed, OSError) as wrong:
        sys.exit(f"adaptation: {wrong}")
    except _source.TooFewGroups as wrong:
        sys.exit(f"adaptation: {path.name}: {wrong}")
    return texts


def _told(path: Path, texts: list[Text], *, options: argparse.Namespace) -> bool:
    """Measure one source and print what was found; return whether every promise that was asked is held."""
    from lab import _cycles, _platform

    refused = dict(_platform.refusals(texts))
    for one, why in refused.items():
        print(f"{path.name}, line {one.line}: left out: {why}")
    chosen = [one for one in texts if one not in refused]
    trials = _cycles.Trials(
        out=ROOT / ".state" / "bench" / _NAME / "cycles" / path.stem,
        repository=options.repository,
        judge=options.judge,
        others=[other for other in options.others if other.exists() and other != path],
    )
    found: dict[tuple[str, str], list[Measured]] = defaultdict(list)
    changes = []
    print(
        f"\n{path.stem}: {len(chosen)} texts, {_source.spam_share(chosen):.1%} spam, in "
        f"{len({one.group for one in chosen})} groups; {options.seeds} seeds; release {trials.base_id[:12]}"
    )
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        trial = trials.run(_source.halved(chosen, seed=seed), seed=seed, sizes=options.sizes)
        for name, measured in trial.found.items():
            found[name].append(measured)
        changes.append(trial.others)
    _print_table(found)
    language = Counter(one.language for one in chosen).most_common(1)[0][0]
    held = True
    for promise in promises(found, sizes=options.sizes, language=language, others=changes):
        print(promise.line)
        held &= promise.is_held is not False
    return held


def _print_table(found: dict[tuple[str, str], list[Measured]]) -> None:
    print("\nmean over the seeds, in brackets the worst\n")
    print(
        "| decisions | by | ROC-AUC | PR-AUC | F1 at .5 | spam let through | honest held "
        "| removed, of these spam | of the ceiling's PR-AUC, F1 |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    seeds = max(len(rows) for rows in found.values())
    for (decisions, by), rows in sorted(found.items(), key=_order):
        fewer = "" if len(rows) == seeds else f" (of {len(rows)} seeds)"
        ceiling = found.get((CEILING, by), [])
        print(f"| {decisions}{fewer} | {by} | {_cells(rows)} | {_share(rows, ceiling)} |")
    print(flush=True)


def _cells(rows: Sequence[Measured]) -> str:
    cells = mean_and_worst(rows, *QUALITY)
    removed = sum(one.removed for one in rows)
    spam = sum(one.precision * one.removed for one in rows if one.removed)
    return " | ".join([*cells, f"{removed}, {spam / removed:.1%}" if removed else ""])


def _share(rows: Sequence[Measured], ceiling: Sequence[Measured]) -> str:
    if len(rows) != len(ceiling):
        return ""
    pairs = list(zip(rows, ceiling, strict=True))
    shares = (np.mean([ratio(one, best, name=name) for one, best in pairs]) for name in ("pr_auc", "f1"))
    return ", ".join(f"{share:.1%}" for share in shares)


def _order(row: tuple[tuple[str, str], list[Measured]]) -> tuple[bool, int, str]:
    (decisions, by), _ = row
    return decisions == CEILING, int(decisions) if decisions.isdigit() else 0, by


def _release(options: argparse.Namespace) -> dict[str, str]:
    """Name the release that the product starts with, if it is not the shipped one."""
    if options.release is None and options.repository == _stack.SHIPPED:
        return {}
    folder = options.release
    if folder is None:
        folder = ROOT / ".state" / "bench" / _NAME / "release"
        starter = Release.load(ROOT / "scoring" / "starter")
        _variant.release(folder, of=starter, repository=options.repository)
        print(
            "the content model is that of --repository; trees and thresholds are those of the shipped release"
        )
    return {"SPAMDESK_RELEASE_DIR": str(folder.resolve())}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m lab adaptation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--source", type=Path, nargs="+", default=_SOURCES, help="labelled files, each a platform"
    )
    parser.add_argument("--texts", type=int, default=2_400, help="most texts of a source, whole groups")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--first-seed", type=int, default=1, help="so that several machines can share the seeds"
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=_SIZES, help="numbers of decisions")
    parser.add_argument(
        "--others",
        type=Path,
        nargs="*",
        default=_OTHERS,
        help="sources that must not get worse; their test parts",
    )
    parser.add_argument(
        "--judge", type=Path, help="simulated records that judge candidates, too; written if not given"
    )
    parser.add_argument(
        "--repository",
        type=Path,
        default=_stack.SHIPPED,
        help="model repository with a content model that never saw the source, as `export` writes it",
    )
    parser.add_argument(
        "--release", type=Path, help="release to begin with; it pins the model of --repository"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
