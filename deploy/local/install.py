"""Installs what each command needs: environments, locked packages, Triton, a browser; nothing else.

Standard library only: it runs with the system's Python.
"""

import os
import shutil
import subprocess
from pathlib import Path

from deploy.local import managed_python, packages, preflight, published_clients, triton_files
from deploy.local.places import ENVIRONMENT, TRITON_ENVIRONMENT, State


def for_run() -> None:
    """Install what the running product needs; torch is not part of it."""
    preflight.cure(preflight.for_environment() + preflight.for_wheels())
    packages.create(ENVIRONMENT, megabytes=1_400)
    if not packages.is_installed(ENVIRONMENT, "test", "torch"):  # the test set holds the run set
        packages.install(ENVIRONMENT, "run")
        if os.environ.get("TRITON_URL", "").startswith("sagemaker://"):
            packages.install(ENVIRONMENT, "sagemaker")
    if not os.environ.get("TRITON_URL"):
        _triton()


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
        _triton()


def for_test() -> None:
    """Install what every test needs, Triton and a browser included."""
    for_unit_tests()
    _browser()
    published_clients.fetch()


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


def _triton() -> None:
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
    return managed_python.path()


def _browser() -> None:
    # In the application's environment: it has the unpacker that npm's package needs.
    finder = [str(ENVIRONMENT / "bin" / "python"), "-m", "deploy.local.browser"]
    if subprocess.run(finder, check=False, stdout=subprocess.DEVNULL).returncode != 0:
        raise preflight.Lacking("no browser for the tests; apt-get install chromium, or set CHROMIUM to one")
