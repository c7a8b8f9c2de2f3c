"""`make test`, `make lint`, `make types`: the checks, the quick ones first; the first that fails ends it."""

import os
import subprocess
import sys
from pathlib import Path

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
    for title, command in _TYPES if what == "types" else _LINT:
        print(f"== {title}", flush=True)
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        if code != 0:
            sys.exit(f"spamdesk: {title} failed")
    if what == "test":
        _pytest(rest)


def _pytest(arguments: list[str]) -> None:
    """Become pytest, whose closing line and status are then ours."""
    print("== tests", flush=True)
    os.environ["CHROMIUM"] = str(browser.find())
    os.environ.update(browser.driver_environment())
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *(arguments or _everything())])


def _everything() -> list[str]:
    """Return what runs every test but the long trials, side by side where there is a second processor."""
    workers = str(min(2, len(os.sched_getaffinity(0))))
    return ["-n", workers, "--dist", "loadgroup", "-m", "not long"]


_TYPES: list[tuple[str, list[str]]] = [("types", [str(_BINARIES / "mypy"), "--no-error-summary"])]
_LINT: list[tuple[str, list[str]]] = [
    ("style", [str(_BINARIES / "ruff"), "check", "--quiet", "."]),
    ("layout", [str(_BINARIES / "ruff"), "format", "--check", "--quiet", "."]),
    ("import contracts", [str(_BINARIES / "lint-imports"), "--no-cache"]),
    *_TYPES,
]

if __name__ == "__main__":
    main(sys.argv[1:])
