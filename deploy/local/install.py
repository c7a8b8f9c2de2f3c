"""Installs what each command needs: environments, locked packages, Triton, a browser; nothing else.

Standard library only: it runs with the system's Python.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from deploy.local import packages, preflight, published_clients, triton_files
from deploy.local.card import Card
from deploy.local.places import ENVIRONMENT, TRITON_ENVIRONMENT, State

_PYTHONS_FOR_TRITON = ">=3.11,<3.13"  # as preflight.TRITON_PYTHONS


def for_run() -> None:
    """Install what the running product needs; torch is not part of it."""
    is_elsewhere = bool(os.environ.get("TRITON_URL"))
    lacks = [] if is_elsewhere else preflight.for_triton()
    preflight.cure(preflight.for_environment() + preflight.for_wheels() + lacks)
    packages.create(ENVIRONMENT, megabytes=1_400)
    if not packages.is_installed(ENVIRONMENT, "test", "torch"):  # the test set holds the run set
        packages.install(ENVIRONMENT, "run")
        if os.environ.get("TRITON_URL", "").startswith("sagemaker://"):
            packages.install(ENVIRONMENT, "sagemaker")
    if not is_elsewhere:
        triton()


def for_card() -> None:
    """Install what the product needs on a card: torch, which writes the graphs, but no Triton."""
    Card.find()
    for_checks()


def for_checks() -> None:
    """Install what lint, types and every test need, torch included, but no server."""
    preflight.cure(preflight.for_environment() + preflight.for_wheels())
    packages.create(ENVIRONMENT, megabytes=3_400)
    packages.install(ENVIRONMENT, "test", "torch")
    packages.install(ENVIRONMENT, "base", with_dependencies=False)


def for_unit_tests() -> None:
    """Install what tests without a browser need, Triton included."""
    for_checks()
    if not os.environ.get("TRITON_URL"):
        triton()


def for_test() -> None:
    """Install what every test needs, Triton and a browser included."""
    for_unit_tests()
    _browser()
    published_clients.fetch()


def managed_python() -> str:
    """Return the program of a Python for Triton that uv manages, downloaded if none is there. Raises Lacking.

    Works offline once one is there.
    """
    if not packages.has_uv():
        raise _lacking("uv, which would download one, could not be installed")
    installed = _uv("install", "--no-bin", _PYTHONS_FOR_TRITON)
    if installed.returncode != 0:
        raise _lacking(f"uv could not download one ({_last_cause(installed.stderr)})")
    return _uv("find", "--managed-python", _PYTHONS_FOR_TRITON).stdout.strip()


def remove_everything() -> None:
    """Delete the environments and all state: the next start is the first one again."""
    state = State.from_environment()
    folders = [ENVIRONMENT, TRITON_ENVIRONMENT, state.path]
    pointer = state.path / "postgres" / "elsewhere"
    if pointer.exists():  # the database's user may not enter this checkout
        folders.append(Path(pointer.read_text().strip()))
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    print("removed .venv, .venv-triton and all state")


def triton() -> None:
    """Install Triton from its wheel, with a Python for its Python part."""
    preflight.cure(preflight.for_triton())
    if not (TRITON_ENVIRONMENT / "bin" / "python").exists():
        packages.create(TRITON_ENVIRONMENT, megabytes=470, python=_python_for_triton())
    packages.install(TRITON_ENVIRONMENT, "triton")
    stub = triton_files.find(TRITON_ENVIRONMENT)
    preflight.cure(preflight.for_stub(stub.stub, library_path=stub.library_path))


def _python_for_triton() -> str:
    """Return the system's if one fits, or will once apt has brought its shared library; else uv's."""
    if fitting := preflight.triton_python():
        return fitting
    without_library = preflight.pythons()
    if without_library and preflight.may_install():
        return without_library[0]  # the check of the stub installs the package
    print("  no Python 3.11 or 3.12 for Triton here; uv downloads one", flush=True)
    return managed_python()


def _uv(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(packages.UV), "--no-progress", "python", *arguments],
        env=packages.uv_environment(),
        cwd="/",  # pyproject.toml and .python-version are for the application's Python
        capture_output=True,
        text=True,
        check=False,
    )


def _last_cause(said: str) -> str:
    """Return the last cause on one line: uv breaks its lines where COLUMNS says so."""
    causes = re.split(r"^\s*(?:cause|Caused by): ", said, flags=re.MULTILINE)
    last = " ".join(causes[-1].split())
    return last or "it said nothing"


def _lacking(reason: str) -> preflight.Lacking:
    lack = preflight.Lack(
        f"Triton's Python part needs Python 3.11 or 3.12 with its shared library; none is here, and {reason}",
        hint="install python3.12 with its venv module and shared library, set UV_PYTHON_INSTALL_MIRROR"
        f" to a mirror of uv's builds, or {preflight.TRITON_ELSEWHERE}",
    )
    return preflight.Lacking(lack.line)


def _browser() -> None:
    # In the application's environment: it has the unpacker that npm's package needs.
    finder = [str(ENVIRONMENT / "bin" / "python"), "-m", "deploy.local.browser"]
    if subprocess.run(finder, check=False, stdout=subprocess.DEVNULL).returncode != 0:
        raise preflight.Lacking("no browser for the tests; apt-get install chromium, or set CHROMIUM to one")
