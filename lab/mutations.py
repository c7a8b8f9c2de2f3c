"""Does `make test` notice a wrong line? Thirty lines are made wrong, one at a time, in a copy of the code.

`make bench ARGS="mutations --only queries"` prints for each the first test of its subject that fails. Needs
no running product. Exits with 1 if a wrong line goes unnoticed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.local.places import ROOT
from lab._mutated_lines import MUTATIONS, Mutation

_PATIENCE_SECONDS = 900
_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--only", default="", help="a part of the changed file's path")


def main(options: argparse.Namespace) -> None:
    """Print a table of the mutations and the tests that failed."""
    mutations = [mutation for mutation in MUTATIONS if options.only in mutation.file]
    with tempfile.TemporaryDirectory(prefix="spamdesk-mutations-") as folder, _servers():
        code = _copied(Path(folder) / "code")
        tests = {mutation: _noticed(mutation, code) for mutation in mutations}
    missed = [mutation for mutation, test in tests.items() if not test]
    print(f"\n{len(mutations) - len(missed)} of {len(mutations)} wrong lines were noticed")
    sys.exit(1 if missed else 0)


@contextmanager
def _servers() -> Iterator[None]:
    """Run the tests' servers beside all runs: each alone would start its own and migrate a database."""
    from tests import servers

    host = servers.start_host()
    try:
        for name in ("postgres", "broker"):
            servers.ensure(name)
        yield
    finally:
        servers.stop_host(host)


def _copied(code: Path) -> Path:
    """Copy what git does not ignore, as it stands in the working tree; the environments are linked."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    for name in filter(None, result.stdout.split("\0")):
        if (ROOT / name).is_file():
            (code / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, code / name)
    for name in (".venv", ".venv-triton"):
        (code / name).symlink_to((ROOT / name).resolve())
    return code


def _noticed(one: Mutation, code: Path) -> str:
    """Make a line wrong, run its tests, put it right; return the test that failed and print its row."""
    file = code / one.file
    text = file.read_text(encoding="utf-8")
    if text.count(one.before) != 1:
        sys.exit(f"{one.file} has {one.before!r} {text.count(one.before)} times: bring the list up to date")
    file.write_text(text.replace(one.before, one.after), encoding="utf-8")
    try:
        test = _failing(code, one.tests.split())
    finally:
        file.write_text(text, encoding="utf-8")
    if test and _failing(code, [test]):
        sys.exit(f"{test} fails on the code as it is, too: it notices nothing")
    lines = (f"`{' '.join(part.split()) or 'nothing'}`" for part in (one.before, one.after))
    print(f"| {one.file} | {' | '.join(lines)} | {test or '**nothing**'} |", flush=True)
    return test


def _failing(code: Path, tests: list[str]) -> str:
    """Return the first test that fails, an empty string if none does."""
    options = ["--reuse-db", "-q", "-x", "-p", "no:randomly", "--tb=no", "--lane=gate"]
    excluded = ["-m", "not (long or faults or browser or train)"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *excluded, *tests],
        cwd=code,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=_PATIENCE_SECONDS,
        check=False,
    )
    if run.returncode == 0:
        return ""
    match = _FAILED.search(run.stdout)
    return match.group(1) if match else run.stdout.strip().splitlines()[-1]
