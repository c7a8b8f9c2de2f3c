"""The images of the product, built as `deploy/compose.yaml` says on base images made of Debian's packages.

No image registry is needed: debootstrap makes the two systems, and `stand_ins/` what their images hold.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from deploy.local import packages
from deploy.local.places import ROOT
from lab.containers.engine import Engine, Say
from lab.systems import engine as systems

_PATH = "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_FOLDER = ROOT / "deploy" / "containers" / "stand_ins"
_STAND_INS = {"python": "bookworm", "postgres": "bookworm", "valkey": "trixie", "haproxy": "bookworm"}
BUILT = {"web": "spamdesk", "triton-cpu": "spamdesk-triton", "learning": "spamdesk-training"}
"""The services of the compose file whose images are built, in this order, and the images."""
_PIP = ("index-url", "extra-index-url", "find-links", "trusted-host", "cert", "default-timeout")
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def stand_in(name: str) -> str:
    """Return the name of the image that stands in for a public one."""
    return f"localhost/stand-in/{name}"


def build_stand_ins(engine: Engine, *, say: Say) -> None:
    """Build the base images that are not kept in the engine's folder yet."""
    for name, release in _STAND_INS.items():
        if engine.has_image(stand_in(name)):
            continue
        say(f"base image for {name}: Debian {release}")
        system = f"localhost/debian:{release}"
        if not engine.has_image(system):
            _import_system(engine, release=release, name=system)
        options = ["--network=host", f"--build-arg=SYSTEM={system}"]
        file = _FOLDER / f"{name}.Dockerfile"
        engine("build", *options, f"--file={file}", f"--tag={stand_in(name)}", str(_FOLDER))


def build_options(folder: Path) -> list[str]:
    """Return podman's options for a build that reaches this machine's package indexes, and them alone."""
    settings, places = _pip_settings()
    file = folder / "pip.conf"
    file.write_text("[global]\n" + "".join(f"{name} = {value}\n" for name, value in settings.items()))
    volumes = [f"--volume={file}:/etc/pip.conf:ro", *(f"--volume={place}:{place}:ro" for place in places)]
    return ["--network=host", *volumes]


def _import_system(engine: Engine, *, release: str, name: str) -> None:
    with tempfile.TemporaryDirectory(dir=engine.folder, prefix="system-") as scratch:
        root = Path(scratch) / release
        systems.make_system(release, root=root)
        archive = Path(scratch) / "system.tar"
        subprocess.run(["tar", "-C", str(root), "-cf", str(archive), "."], check=True)
        engine("import", "--change", _PATH, str(archive), name)


def _pip_settings() -> tuple[dict[str, str], list[Path]]:
    """Return pip's settings on this machine, and the files and folders that they name."""
    settings = {name: value for name, value in packages.pip_settings().items() if name in _PIP}
    words = [word for value in settings.values() for word in value.split()]
    paths = {Path(word) for word in words if word.startswith("/")} | {_CERTIFICATES}
    # The pages of an index on disk name files that lie beside them.
    paths |= {Path(word.removeprefix("file://")).parent for word in words if word.startswith("file:///")}
    return settings, sorted(path for path in paths if path.exists())
