"""`make test`, `test-whole`, `test-unit`, `lint` and `types`: the first check that fails ends it.

`make test` is what one waits for: lint, types, unit, web and API tests, a journey or a kill for each promise.
`make test-whole` runs the tests that it leaves out (tests/lanes.py).
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import NoReturn

from deploy.local import browser
from deploy.local.places import ROOT

_BINARIES = Path(sys.executable).parent


def main(arguments: list[str]) -> None:
    """Run the named check and exit with its status."""
    what, rest = arguments[0], arguments[1:]
    if what == "test-unit":
        _become_pytest([*_UNIT, *_side_by_side(), *rest])
    if what == "test-whole":
        _become_pytest(["--lane=rest", "-m", "not long", *_side_by_side(), *rest])
    if what == "test" and any(map(_is_place, rest)):
        _become_pytest([*rest, *_without_django(rest)])
    start = time.monotonic()
    with tempfile.TemporaryFile("w+") as output, subprocess.Popen(_TYPES, cwd=ROOT, stdout=output) as types:
        try:
            for title, command in [] if what == "types" else _QUICK:
                print(f"== {title}", flush=True)
                _end_if_failed(title, subprocess.run(command, cwd=ROOT, check=False).returncode)
            if what == "test":
                _test(rest or ["--lane=gate", "-m", "not long", *_side_by_side()], beside=types)
            print("== types", flush=True)
            code = types.wait()
            output.seek(0)
            print(output.read(), end="", flush=True)
            _end_if_failed("types", code)
        finally:
            types.kill()
    if what == "test" and not rest:
        print(f"== {time.monotonic() - start:.0f} s; the budget is {_budget_seconds()} s (pyproject.toml)")


def _budget_seconds() -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return int(project["tool"]["spamdesk"]["budget"]["test_seconds"])


def _is_place(argument: str) -> bool:
    """Tell whether an argument of pytest names tests: then no other check runs."""
    return (ROOT / argument.partition("::")[0]).exists()


def _without_django(arguments: list[str]) -> list[str]:
    """Return the options that skip Django and servers for tests/scoring alone."""
    places = [place for place in arguments if _is_place(place)]
    if not all(place.startswith("tests/scoring") for place in places):
        return []
    return [f"-pno:{name}" for name in ("django", "tests.servers")]


def _test(arguments: list[str], *, beside: subprocess.Popen[bytes]) -> None:
    """Run the tests while the types, which take a minute of one processor, are checked beside them.

    Returns when the tests have passed or the types have not; wrong types end the tests.
    """
    # A shell starts what runs in its background deaf to SIGINT, and programs inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(_pytest(arguments), cwd=ROOT) as tests:
        try:
            while tests.poll() is None and not beside.poll():
                time.sleep(0.2)
        except KeyboardInterrupt:  # theirs, too: they stop their servers
            sys.exit(tests.wait())
        if tests.poll() is None:
            tests.send_signal(signal.SIGINT)
    if not beside.poll() and tests.returncode:
        sys.exit(tests.returncode)


def _end_if_failed(title: str, code: int) -> None:
    if code != 0:
        sys.exit(f"spamdesk: {title} failed")


def _become_pytest(arguments: list[str]) -> NoReturn:
    """Become pytest, whose closing line and status are then ours."""
    command = _pytest(arguments)
    os.execv(command[0], command)


def _pytest(arguments: list[str]) -> list[str]:
    """Return the command, and name the browser and its driver in our environment, which it takes over."""
    print("== tests", flush=True)
    os.environ["CHROMIUM"] = str(browser.find())
    os.environ.update(browser.driver_environment())
    return [sys.executable, "-m", "pytest", *arguments]


def _side_by_side() -> list[str]:
    """Return the options that run tests side by side on several processors, and name the slowest."""
    # One more than two processors: the trials that kill processes wait most of their time.
    workers = "3" if len(os.sched_getaffinity(0)) > 1 else "1"
    # In the order of tests/lanes.py, the longest first; xdist would begin with the largest groups.
    return ["-n", workers, "--dist", "loadgroup", "--no-loadscope-reorder", "--durations", "20"]


_UNIT = [
    *("tests/scoring", "tests/moderation"),
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
