"""The README's two commands on bare Debian systems, as root and as an ordinary user; needs root and podman.

`make systems`; ARGS= takes the options. The last commit is unpacked in a new container, `make run`
starts the product, ten posts are decided through its API, and the unit tests run. One system at a time.
"""

import argparse
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.local import ports, preflight
from deploy.local.places import ROOT
from lab.systems import engine, python_mirror

RELEASES = ("bookworm", "trixie")
_BRING_VENV = (
    "(apt-get update && DEBIAN_FRONTEND=noninteractive"
    " apt-get install -y --no-install-recommends python3-venv) > /dev/null"
)
# user: what an administrator does for them first, and how their shell starts
USERS = {
    "root": "exec sh -c {command}",
    "ordinary": f"{_BRING_VENV} && useradd --create-home newcomer && exec su newcomer -c {{command}}",
}


def main() -> None:
    """Run each system as each user; ends with exit code 1, and why, if one failed or something is lacking."""
    options = _options()
    if lacks := engine.lacks(options.folder):
        sys.exit("\n".join(f"spamdesk: {lack.line}" for lack in lacks))
    failures: list[str] = []
    with _scratch(options.folder) as folder:
        mirror = _mirror(folder / "mirror") if options.python_mirror else {}
        _pack_checkout(folder / "checkout")
        for release in options.release or RELEASES:
            print(f"{release}: making a bare system", flush=True)
            engine.make_system(release, root=folder / release)
            for user in options.user or USERS:
                print(f"{release}, {user}", flush=True)
                if _trial(release, user, folder=folder, check=options.check, mirror=mirror) != 0:
                    failures.append(f"{release}, {user}")
    sys.exit(f"spamdesk: failed on {'; '.join(failures)}" if failures else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="make systems",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--release", action="append", help="a release of Debian; repeat; 12 and 13 if not given"
    )
    parser.add_argument("--user", action="append", choices=USERS, help="as whom; repeat; both if not given")
    parser.add_argument("--check", default="make test-unit", help="the command that runs last")
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp"), help="where 15 GiB are free")
    parser.add_argument(
        "--python-mirror",
        action="store_true",
        help="offer this machine's Python for Triton where uv's own builds are out of reach",
    )
    return parser.parse_args()


@contextmanager
def _scratch(parent: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="spamdesk-", dir=parent))
    folder.chmod(0o755)  # an ordinary user reads the checkout in it
    try:
        yield folder
    finally:
        # podman removes what it wrote for a container after the container's end, beside us.
        for _ in range(50):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.2)


def _mirror(folder: Path) -> dict[str, str]:
    python = preflight.triton_python()
    if python is None:
        sys.exit(
            "spamdesk: --python-mirror needs a Python 3.11 or 3.12 with its shared library on this machine"
        )
    return python_mirror.write(folder, python=python)


def _pack_checkout(folder: Path) -> None:
    folder.mkdir()
    archive = folder / "spamdesk.tar"
    subprocess.run(["git", "archive", f"--output={archive}", "HEAD"], cwd=ROOT, check=True)
    (folder / "trial.py").write_bytes(Path(__file__).with_name("trial.py").read_bytes())


def _trial(release: str, user: str, *, folder: Path, check: str, mirror: dict[str, str]) -> int:
    checkout = folder / "checkout"
    trial = ["python3", str(checkout / "trial.py"), str(checkout / "spamdesk.tar"), *shlex.split(check)]
    shell = USERS[user].format(command=shlex.quote(shlex.join(trial)))
    mounts = [checkout, *([folder / "mirror"] if mirror else [])]
    return engine.run(
        ["sh", "-c", shell],
        root=folder / release,
        storage=folder / "podman",
        mounts=mounts,
        variables=mirror | {"SPAMDESK_WEB_PORT": str(ports.free())},  # the network is this machine's
    )


if __name__ == "__main__":
    main()
