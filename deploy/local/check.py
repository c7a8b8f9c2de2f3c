"""`make test`, `test-unit`, `lint` and `types`: the first check that fails ends it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from deploy.local import browser
from deploy.local.places import ROOT

_BINARIES = Path(sys.executable).parent
_CHECKED = [
    name
    for name in ("config", "moderation", "scoring", "deploy", "bench", "tests", "docs")
    if (ROOT / name).is_dir()
]


def main(arguments: list[str]) -> None:
    """Run the named check and exit with its status."""
    what, rest = arguments[0], arguments[1:]
    if what == "test-unit":
        _pytest([*_UNIT, *_side_by_side(), *rest])
    if what == "test" and any(map(_is_place, rest)):
        _pytest(rest)
    _check([] if what == "types" else _QUICK)
    if what == "test":
        _pytest(rest or ["-m", "not long", *_side_by_side()])


def _is_place(argument: str) -> bool:
    """Tell whether an argument of pytest names tests: who asks for some waits for no other check."""
    return (ROOT / argument.partition("::")[0]).exists()


def _check(quick: list[tuple[str, list[str]]]) -> None:
    """Run the quick checks while the types, which take longest, are checked on another processor."""
    with subprocess.Popen(_TYPES, cwd=ROOT) as types:
        try:
            for title, command in quick:
                print(f"== {title}", flush=True)
                _end_if_failed(title, subprocess.run(command, cwd=ROOT, check=False).returncode)
            print("== types", flush=True)
            _end_if_failed("types", types.wait())
        finally:
            types.kill()


def _end_if_failed(title: str, code: int) -> None:
    if code != 0:
        sys.exit(f"spamdesk: {title} failed")


def _pytest(arguments: list[str]) -> NoReturn:
    """Become pytest, whose closing line and status are then ours."""
    print("== tests", flush=True)
    os.environ["CHROMIUM"] = str(browser.find())
    os.environ.update(browser.driver_environment())
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *arguments])


def _side_by_side() -> list[str]:
    """Return what runs tests side by side where there is a second processor, and names the slowest."""
    # One more than two processors: the trials that kill processes wait most of their time.
    workers = "3" if len(os.sched_getaffinity(0)) > 1 else "1"
    # In the order of tests/conftest.py, the longest first; xdist would begin with the largest groups.
    return ["-n", workers, "--dist", "loadgroup", "--no-loadscope-reorder", "--durations", "25"]


_UNIT = [
    *("tests/scoring", "tests/moderation", "--ignore=tests/scoring/training"),
    *("-m", "not (long or faults or browser or train)"),
]
_TYPES = [str(_BINARIES / "mypy"), "--no-error-summary"]
_QUICK: list[tuple[str, list[str]]] = [
    ("style", [str(_BINARIES / "ruff"), "check", "--quiet", "."]),
    ("layout", [str(_BINARIES / "ruff"), "format", "--check", "--quiet", "."]),
    ("layout of templates", [str(_BINARIES / "djangofmt"), "--check", "--quiet", "templates"]),
    ("templates", [str(_BINARIES / "djangofmt"), "check", "--quiet", "templates"]),
    ("import contracts", [str(_BINARIES / "lint-imports"), "--no-cache"]),
]

if __name__ == "__main__":
    main(sys.argv[1:])
