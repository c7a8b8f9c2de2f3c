"""A Python for Triton if the system has no suitable one: one of uv's builds, in uv's usual folder.

Standard library only: the installer calls it before anything but uv is installed.
"""

import re
import subprocess

from deploy.local import packages, preflight

_WANTED = ">=3.11,<3.13"  # as preflight.TRITON_PYTHONS


def path() -> str:
    """Return the program of a Python that uv manages, downloading one if none is there. Raises Lacking.

    Works offline once one is there.
    """
    if not packages.has_uv():
        raise _lacking("uv, which would download one, could not be installed")
    installed = _uv("install", "--no-bin", _WANTED)
    if installed.returncode != 0:
        raise _lacking(f"uv could not download one ({_last_cause(installed.stderr)})")
    return _uv("find", "--managed-python", _WANTED).stdout.strip()


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
