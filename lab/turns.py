"""Does a measurement say the same of an earlier commit and of this tree? Both by turns, on one machine.

make bench ARGS="turns e223f132 ingest"     (a commit, then a measurement with its options)

The earlier commit is checked out in .state/bench and shares this tree's packages. Both keep databases of
their own: remove .state/bench before, so that they begin alike. Every number that the measurement prints is
compared: median before, median now, the median ratio of the pairs and its range.
"""

import argparse
import re
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from deploy.local.places import ENVIRONMENT, ROOT, TRITON_ENVIRONMENT

_NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*\w)")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("commit")
    parser.add_argument("measurement", nargs=argparse.REMAINDER)


def main(options: argparse.Namespace) -> None:
    """Measure and print one line for each number; the order within a pair changes from pair to pair."""
    seen: dict[str, list[tuple[float, float]]] = defaultdict(list)
    earlier = _checked_out(options.commit)
    for turn in range(options.pairs):
        trees = (earlier, ROOT) if turn % 2 == 0 else (ROOT, earlier)
        of_tree = {tree: numbers(_printed(tree, options.measurement)) for tree in trees}
        for name in of_tree[earlier].keys() & of_tree[ROOT].keys():
            seen[name].append((of_tree[earlier][name], of_tree[ROOT][name]))
        print(f"pair {turn + 1} of {options.pairs} measured", file=sys.stderr)
    print(f"{'before':>12}{'now':>12}{'ratio':>8}{'range':>14}")
    for name, pairs in sorted(seen.items()):
        before, now = (statistics.median(side) for side in zip(*pairs, strict=True))
        ratios = [late / early for early, late in pairs if early]
        if ratios and ratios != [1.0] * len(ratios):
            span = f"{min(ratios):.2f} to {max(ratios):.2f}"
            print(f"{before:>12,.2f}{now:>12,.2f}{statistics.median(ratios):>8.2f}{span:>14}  {name}")


def numbers(printed: str) -> dict[str, float]:
    """Return each number of a measurement's lines; its name is the line with only this number in brackets."""
    named: dict[str, float] = {}
    for line in printed.splitlines():
        matches = list(_NUMBER.finditer(line))
        parts = [" ".join(part.split()) for part in _NUMBER.split(line)]
        for place, match in enumerate(matches):
            marks = ["[#]" if other == place else "#" for other in range(len(matches))] + [""]
            name = " ".join(f"{part} {mark}" for part, mark in zip(parts, marks, strict=True)).strip()
            named[name] = float(match[0].replace(",", ""))
    return named


def _checked_out(commit: str) -> Path:
    """Check a commit out, once. Raises CalledProcessError if git does not know it."""
    tree = ROOT / ".state" / "bench" / f"turns-{commit}"
    if not tree.exists():
        subprocess.run(["git", "worktree", "add", "--detach", str(tree), commit], cwd=ROOT, check=True)
        for folder in (ENVIRONMENT, TRITON_ENVIRONMENT):
            (tree / folder.name).symlink_to(folder)
    return tree


def _printed(tree: Path, measurement: Sequence[str]) -> str:
    """Run a measurement, also one that breaks its promise. Raises RuntimeError if it prints nothing."""
    command = [sys.executable, "-m", "lab", *measurement]
    done = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout.strip():
        raise RuntimeError(f"{' '.join(measurement)} prints nothing in {tree}")
    return done.stdout
