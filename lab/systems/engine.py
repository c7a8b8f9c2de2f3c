"""Bare Debian systems from Debian's packages, and containers in them that leave nothing behind.

Standard library only. No image registry is needed: debootstrap makes each system once, and every container
starts from a layer over it.
"""

import os
import resource
import shutil
import subprocess
from pathlib import Path

from deploy.local.preflight import Lack

_DEBIAN = "http://deb.debian.org/debian"
# The one script that knows every later release, too; an older debootstrap lacks the newest names.
_SCRIPT = "/usr/share/debootstrap/scripts/sid"
_SYSTEM_PACKAGES = "ca-certificates,make,python3"
_PACKAGES = {
    "podman": ("podman", "crun", "catatonit", "fuse-overlayfs"),
    "debootstrap": ("debootstrap",),
    "unshare": ("util-linux",),
}
_FREE_BYTES = 15 * 2**30  # a system, the environments of both users in turn, and PyTorch's CUDA build
_MOST_BYTES_OF_FOLDER = 25  # podman allows 50 for its folder of running containers, which lies two below
# podman refuses a host where both versions of cgroups are mounted, so it sees only the first.
_WITH_ONE_CGROUPS = (
    "unshare",
    "--mount",
    "sh",
    "-c",
    'umount /sys/fs/cgroup/unified 2>/dev/null; exec "$@"',
    "sh",
)
# What the machine was told of its package indexes holds inside, too.
_PASSED = ("PIP_", "UV_", "SSL_CERT_", "NODE_EXTRA_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def lacks(folder: Path) -> list[Lack]:
    """Return what this machine lacks to run such systems in the folder."""
    if os.geteuid() != 0:
        return [Lack("containers with systems of their own need root", hint="sudo make systems")]
    missing = [
        Lack(f"{program} is missing", packages)
        for program, packages in _PACKAGES.items()
        if shutil.which(program) is None
    ]
    parent = next(path for path in (folder, *folder.parents) if path.exists())
    if shutil.disk_usage(parent).free < _FREE_BYTES:
        missing.append(Lack(f"{parent} has less than 15 GiB free", hint="name another with --folder"))
    if len(os.fsencode(folder)) > _MOST_BYTES_OF_FOLDER:
        missing.append(Lack(f"the path {folder} is too long for podman", hint="name another with --folder"))
    return missing


def make_system(release: str, *, root: Path) -> None:
    """Make a minimal Debian with Python, make and certificates. Raises CalledProcessError."""
    options = ("--variant=minbase", f"--include={_SYSTEM_PACKAGES}")
    subprocess.run(
        ["debootstrap", *options, release, str(root), _DEBIAN, _SCRIPT], check=True, stdout=subprocess.DEVNULL
    )


def run(
    command: list[str], *, root: Path, storage: Path, mounts: list[Path], variables: dict[str, str]
) -> int:
    """Run a command in a container over the system at `root` and return its exit code.

    The container has this machine's network, certificates and package indexes; `mounts` are there at the
    same paths, read-only. What it writes is gone afterwards.
    """
    engine = ["podman", f"--root={storage / 'storage'}", f"--runroot={storage / 'run'}", "--log-level=error"]
    environment = _passed_environment() | variables
    places = [*mounts, *_named_folders(environment), *([_CERTIFICATES] if _CERTIFICATES.exists() else [])]
    # In a cgroup of their own all processes together would weigh as much as one process outside.
    options = ["--rm", "--init", "--cgroups=disabled", "--network=host", "--shm-size=1g"]
    options += [f"--ulimit={name}={value}:{value}" for name, value in _limits().items()]
    options += [f"--env={name}={value}" for name, value in environment.items()]
    options += [f"--volume={path}:{path}:ro" for path in places]
    return subprocess.run(
        [*_WITH_ONE_CGROUPS, *engine, "run", *options, "--rootfs", f"{root}:O", *command], check=False
    ).returncode


def _limits() -> dict[str, int]:
    """Return limits that this process may give: the engine's defaults may be more than is allowed."""
    needs = {"nofile": (resource.RLIMIT_NOFILE, 20_000), "nproc": (resource.RLIMIT_NPROC, 4_096)}
    values = {}
    for name, (limit, enough) in needs.items():
        most = resource.getrlimit(limit)[1]
        values[name] = enough if most == resource.RLIM_INFINITY else min(enough, most)
    return values


def _passed_environment() -> dict[str, str]:
    """Return what this machine was told of its package indexes."""
    return {name: value for name, value in os.environ.items() if name.upper().startswith(_PASSED)}


def _named_folders(variables: dict[str, str]) -> list[Path]:
    """Return the folders of wheels that are named; uv and pip refuse one that is not there."""
    places = [*variables.get("PIP_FIND_LINKS", "").split(), *variables.get("UV_FIND_LINKS", "").split(",")]
    return sorted({Path(name) for name in places if name.startswith("/") and Path(name).is_dir()})
