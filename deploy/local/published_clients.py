"""Published clients that tests run unchanged, each in a folder of its own beside the environment's packages.

`python -m deploy.local.published_clients` fetches them. Standard library only, as the rest of installing.
"""

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from deploy.local import packages
from deploy.local.places import ENVIRONMENT, REQUIREMENTS

_FOLDER = ENVIRONMENT / "published-clients"
_NPM_CLIENT = "akismet-api@6.0.0"
_DEBIAN = ("wordpress", "php8.2-cli", "php8.2-common", "libargon2-1", "libsodium23")


def fetch() -> None:
    """Fetch what is not there yet. Raises InstallFailed if an index has no Python client."""
    python_akismet()
    npm_akismet()
    wordpress()


def python_akismet() -> Path:
    """Return the folder to import python-akismet from. Raises packages.InstallFailed."""
    folder = _FOLDER / "python-akismet"
    if (folder / "akismet" / "__init__.py").exists():
        return folder
    options = ("--quiet", "--no-deps", "--target", str(folder), "-r", str(REQUIREMENTS / "akismet.txt"))
    if not packages.pip_install(ENVIRONMENT, *options):
        raise packages.InstallFailed("cannot install python-akismet: is a package index within reach?")
    return folder


def npm_akismet() -> Path | None:
    """Return the folder whose node_modules hold npm's client; None without npm, or without its registry."""
    folder = _FOLDER / "npm-akismet"
    if (folder / "node_modules" / "akismet-api").is_dir():
        return folder
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return None
    # Where no registry answers, npm's own attempts would take 70 s.
    quickly = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=30000")
    options = ("--no-save", "--ignore-scripts", "--no-audit", "--no-fund", *quickly)
    folder.mkdir(parents=True, exist_ok=True)
    result = subprocess.run(
        [npm, "install", "--prefix", str(folder), *options, _NPM_CLIENT], capture_output=True, check=False
    )
    return folder if result.returncode == 0 else None


def wordpress() -> Path | None:
    """Return the folder with Debian's WordPress and PHP, unpacked; None where no index has them."""
    folder = _FOLDER / "wordpress"
    if (folder / "usr" / "bin" / "php8.2").exists():
        return folder
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as place:
        download = ["apt-get", "download", "-o", "Acquire::Retries=0", *_DEBIAN]
        if subprocess.run(download, cwd=place, capture_output=True, check=False).returncode != 0:
            return None
        # The last gives what the test looks for: an unpacking that was stopped begins anew.
        for package in sorted(Path(place).glob("*.deb"), key=lambda path: path.name.startswith("php8.2-cli")):
            subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return folder


if __name__ == "__main__":
    fetch()
