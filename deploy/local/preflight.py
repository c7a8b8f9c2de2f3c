"""System requirements that no wheel provides; each missing one is a line with the command that installs it.

Standard library only: it runs before anything is installed.
"""

import ctypes
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from deploy.local.places import ROOT, State

TRITON_PYTHONS = ((3, 12), (3, 11))
TRITON_ELSEWHERE = "give TRITON_URL=grpc://host:port of a Triton server that runs elsewhere"


@dataclass(frozen=True)
class Lack:
    """A missing requirement, and the Debian packages that provide it (none: only the hint helps)."""

    what: str
    packages: tuple[str, ...] = ()
    hint: str = ""

    @property
    def line(self) -> str:
        """Return the one line for the terminal."""
        return f"{self.what}: {self.cure}"

    @property
    def cure(self) -> str:
        """Return the command that installs it."""
        install = f"apt-get install -y --no-install-recommends {' '.join(self.packages)}"
        return self.hint or (install if os.geteuid() == 0 else f"sudo {install}")


class Lacking(Exception):
    """The system lacks something that could not be installed here; the message has one line for each."""


def for_environment() -> list[Lack]:
    """Return what is missing to make a virtual environment."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        return []
    return [Lack("Python has no venv module with ensurepip", (f"{version}-venv",))]


def for_wheels() -> list[Lack]:
    """Return the shared libraries that wheels expect of every system and this one lacks."""
    packages = {"libstdc++.so.6": "libstdc++6", "libz.so.1": "zlib1g", "libgcc_s.so.1": "libgcc-s1"}
    return [
        Lack(f"the shared library {library} is missing", (package,))
        for library, package in packages.items()
        if not _loads(library)
    ]


def for_triton() -> list[Lack]:
    """Return what is missing for a Triton of its own; a TRITON_URL makes it unnecessary."""
    if platform.machine() != "x86_64" or sys.platform != "linux":
        return [
            Lack(f"Triton's wheel is for Linux on x86-64, not {platform.machine()}", hint=TRITON_ELSEWHERE)
        ]
    glibc = tuple(int(part) for part in platform.libc_ver()[1].split(".")[:2] if part.isdigit())
    if glibc < (2, 35):
        version = platform.libc_ver()[1]
        return [Lack(f"Triton's wheel needs glibc 2.35 or newer, this is {version}", hint=TRITON_ELSEWHERE)]
    # It starts its Python part by a shell, with paths as they are.
    odd = [path for path in (ROOT, State.from_environment().path) if re.search(r"[^\w/.,:=@%+-]", str(path))]
    hint = f"move it, or set SPAMDESK_STATE_DIR to another folder, or {TRITON_ELSEWHERE}"
    return [
        Lack(f"Triton cannot run in {str(path)!r}: its shell takes that apart", hint=hint) for path in odd
    ]


def triton_python() -> str | None:
    """Return a Python for Triton's environment whose shared library is there, the running one if it fits."""
    return next((python for python in pythons() if _has_shared_library(python)), None)


def pythons() -> list[str]:
    """Return every Python here that Triton's environment could be made with, the running one first."""
    running = [sys.executable] if sys.version_info[:2] in TRITON_PYTHONS else []
    paths = [shutil.which(f"python{major}.{minor}") for major, minor in TRITON_PYTHONS]
    # A version manager's shim is on PATH even for versions that are not switched on.
    return [*running, *(path for path in paths if path and succeeds(path, "-c", "import ensurepip"))]


def for_stub(stub: Path, *, library_path: str) -> list[Lack]:
    """Return the libraries missing for Triton's Python stub, which would hang for ever without them."""
    # Through the link, ldd would search the wrong folder and report libraries as missing.
    listing = subprocess.run(
        ["ldd", str(stub.resolve())],
        env={**os.environ, "LD_LIBRARY_PATH": library_path},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    missing = [line.split()[0] for line in listing.splitlines() if "not found" in line]
    return [Lack(f"Triton's Python part lacks {library}", (_package_of(library),)) for library in missing]


def cure(lacks: list[Lack]) -> None:
    """Install what is lacking where that is allowed (root on Debian or Ubuntu). Raises Lacking otherwise."""
    if not lacks:
        return
    packages = [package for lack in lacks for package in lack.packages]
    if not (may_install() and all(lack.packages for lack in lacks)):
        raise Lacking("\n".join(lack.line for lack in lacks))
    for lack in lacks:
        print(f"  {lack.what}; installing {' '.join(lack.packages)}", flush=True)
    if not apt_install(packages):
        raise Lacking("\n".join(lack.line for lack in lacks))


def may_install() -> bool:
    """Return whether Debian packages may be installed here: as root, where there is apt-get."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def apt_install(packages: list[str]) -> bool:
    """Install Debian packages, refreshing the lists if they are unknown. Return whether it worked."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    apt = ["apt-get", "-q", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=20"]
    install = [*apt, "install", "-y", "--no-install-recommends", *packages]
    for command in (install, [*apt, "update"], install):
        finished = subprocess.run(command, env=environment, capture_output=True, check=False)
        if command is install and finished.returncode == 0:
            return True
    return False


def succeeds(*command: str) -> bool:
    """Return whether a command ends with exit code 0."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _has_shared_library(python: str) -> bool:
    program = (
        "import ctypes, sys, sysconfig as s, os; name = 'libpython%d.%d.so.1.0' % sys.version_info[:2]\n"
        "path = os.path.join(s.get_config_var('LIBDIR'), name)\n"
        "ctypes.CDLL(path if os.path.exists(path) else name)"
    )
    return succeeds(python, "-c", program)


def _package_of(library: str) -> str:
    if library.startswith("libpython"):
        name = library.split(".so", maxsplit=1)[0]
        # Ubuntu 24.04 renamed it with its 64-bit time transition.
        is_renamed = shutil.which("apt-cache") and succeeds("apt-cache", "show", f"{name}t64")
        return f"{name}t64" if is_renamed else name
    return {"libexpat.so.1": "libexpat1", "libz.so.1": "zlib1g", "libstdc++.so.6": "libstdc++6"}.get(
        library, library
    )


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
