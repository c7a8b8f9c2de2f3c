"""Environments and packages: by uv if available, otherwise by pip, with the user's pip settings.

Standard library only: it runs before anything is installed. uv alone would not do: it reads
no settings of pip, and has no wheel for every machine.
"""

import ast
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, MutableMapping
from pathlib import Path

from deploy.local import preflight
from deploy.local.places import ENVIRONMENT, REQUIREMENTS

UV = ENVIRONMENT / "bin" / "uv"
# uv does not read pip's settings, where users configure mirrors and certificates.
_FROM_PIP = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "cert": "SSL_CERT_FILE",
    "trusted-host": "UV_INSECURE_HOST",
    "proxy": "ALL_PROXY",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "timeout": "UV_HTTP_TIMEOUT",
}


class InstallFailed(Exception):
    """A package could not be installed; the message is for the person at the terminal."""


def create(environment: Path, *, megabytes: int, python: str = sys.executable) -> None:
    """Create a virtual environment, unless a working one is there.

    Raises InstallFailed if the disk has not the megabytes that its packages will take.
    """
    interpreter = environment / "bin" / "python"
    if interpreter.exists() and preflight.succeeds(str(interpreter), "-c", "import sys"):
        return
    if not environment.exists() and (free := _free(environment.parent)) < megabytes:
        raise InstallFailed(
            f"{environment} takes {megabytes} MB, and its disk has {free} free: make room, then start again"
        )
    print(f"  creating {environment.name}", flush=True)
    subprocess.run([python, "-m", "venv", "--clear", str(environment)], check=True)


def install(environment: Path, *locks: str, with_dependencies: bool = True) -> bool:
    """Install these lock files of requirements/. Return False if they were installed before.

    Works offline when nothing changed. Raises InstallFailed if neither uv nor pip can.
    """
    if is_installed(environment, *locks):
        return False
    files = [str(REQUIREMENTS / f"{lock}.txt") for lock in locks]
    options = [] if with_dependencies else ["--no-deps"]
    print(f"  installing {' and '.join(locks)} packages into {environment.name}", flush=True)
    if not (has_uv() and _install_with_uv(environment, files, options)):
        _install_with_pip(environment, files, options)
    (environment / f".installed-{locks[0]}").write_text(_fingerprint(environment, locks))
    return True


def is_installed(environment: Path, *locks: str) -> bool:
    """Return whether exactly these lock files are what was installed last."""
    stamp = environment / f".installed-{locks[0]}"
    return stamp.exists() and stamp.read_text() == _fingerprint(environment, locks)


def uv_environment() -> dict[str, str]:
    """Return the process environment with pip's settings (files and PIP_ variables) in uv's words."""
    # The system's certificates, as pip: a company's own authority is among them.
    return {"UV_SYSTEM_CERTS": "1"} | _translated(pip_settings()) | os.environ


def pip_settings() -> dict[str, str]:
    """Return pip's settings (files and PIP_ variables) by the names of its options."""
    pip = [str(ENVIRONMENT / "bin" / "python"), "-m", "pip", "config", "list"]
    output = subprocess.run(pip, capture_output=True, text=True, check=False).stdout
    settings = {}
    # `global` < `install` < environment, whatever the order of the lines.
    for line in sorted(
        output.splitlines(), key=lambda line: (line.startswith(":env:"), line.startswith("install."))
    ):
        key, _, literal = line.partition("=")
        if literal:
            settings[key.rpartition(".")[2]] = str(ast.literal_eval(literal))
    return settings


def has_uv() -> bool:
    """Return whether uv is in the application's environment, installing it if it can be had."""
    if UV.exists():
        return True
    return pip_install(ENVIRONMENT, "--quiet", "uv")


def pip_install(environment: Path, *arguments: str) -> bool:
    """Install by pip; return whether it could."""
    python = str(environment / "bin" / "python")
    command = [python, "-m", "pip", "install", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, check=False).returncode == 0


def keep_bytecode(variables: MutableMapping[str, str], *, environment: Path) -> None:
    """Let processes started with these variables keep what they compile, in the environment's own folder.

    PYTHONDONTWRITEBYTECODE, which many images set, keeps the checkout clean. It also makes every process
    compile all that it imports, again and again: its start then takes three times as long.
    """
    if variables.pop("PYTHONDONTWRITEBYTECODE", ""):
        variables.setdefault("PYTHONPYCACHEPREFIX", str(environment / "bytecode"))


def _translated(pip: Mapping[str, str]) -> dict[str, str]:
    settings = {_FROM_PIP[name]: value for name, value in pip.items() if name in _FROM_PIP}
    if "find-links" in pip:  # pip separates by white space, uv by commas
        settings["UV_FIND_LINKS"] = ",".join(pip["find-links"].split())
    if "UV_INDEX" in settings:
        settings["UV_INDEX_STRATEGY"] = "unsafe-best-match"  # as pip does: the best version of all indexes
    return settings


def _fingerprint(environment: Path, locks: tuple[str, ...]) -> str:
    digest = hashlib.sha256(os.fsencode((environment / "bin" / "python").resolve()))
    for lock in locks:
        digest.update((REQUIREMENTS / f"{lock}.txt").read_bytes())
    return digest.hexdigest()


def _install_with_uv(environment: Path, files: list[str], options: list[str]) -> bool:
    command = [str(UV), "pip", "install", "--python", str(environment / "bin" / "python")]
    command += [*options, *(argument for file in files for argument in ("-r", file))]
    # Elsewhere than here: pyproject.toml tells the lock less about torch than its CUDA build needs.
    return subprocess.run(command, env=uv_environment(), cwd="/", check=False).returncode == 0


def _install_with_pip(environment: Path, files: list[str], options: list[str]) -> None:
    print("  uv could not; trying pip, which takes longer", flush=True)
    # Apart, the file without hashes first: pip refuses a mixture.
    for file in sorted(files, key=lambda file: not file.endswith("torch.txt")):
        if not pip_install(environment, *options, "-r", file):
            raise InstallFailed(
                f"cannot install {Path(file).name}: is a package index within reach? `pip config list` shows"
                f" which one is used. The disk has {_free(environment)} MB free"
            )


def _free(folder: Path) -> int:
    return shutil.disk_usage(folder).free // 2**20
