"""`make run GPU=1`: Triton in NVIDIA's image on this machine's card, with plans built at its first start.

Standard library only: the installer asks whether there is a card. What it starts was tried with stand-ins for
card and container engine; `deploy/serve_plans.py` is what runs inside.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from deploy.local.places import ROOT, State
from deploy.local.preflight import Lacking
from deploy.local.service import Service

IMAGE = "spamdesk-triton:0.1.0"
_WEIGHTS = ROOT / "triton_repo" / "distilbert" / "1" / "model.onnx"
_IDLE_SECONDS = 7_200
"""The client of a container engine uses no processor time and, while a plan is built, writes nothing."""
_ROOTLESS = ("--userns=keep-id",) if os.getuid() else ()


@dataclass(frozen=True)
class Card:
    """A card's name, as its driver tells it, and the program that runs containers with it."""

    name: str
    engine: str

    @classmethod
    def find(cls) -> "Card":
        """Return the first card. Raises Lacking, in one line, without one or without docker and podman."""
        asked = ("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
        told = ""
        if shutil.which(asked[0]):
            told = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=60).stdout
        if not told.strip():
            raise Lacking("no NVIDIA card here (nvidia-smi names none): `make run` serves on the processor")
        engine = shutil.which("docker") or shutil.which("podman")
        if engine is None:
            raise Lacking("neither docker nor podman is here to run NVIDIA's Triton image")
        return cls(name=told.splitlines()[0].strip(), engine=engine)

    def steps(self, state: State) -> Iterator[Service]:
        """Yield what comes before a start, if due: the image, graphs of the shipped weights, their plans."""
        self.remove(state)
        repository, dockerfile = self.repository(state), "deploy/containers/triton.Dockerfile"
        step = partial(Service, folder=ROOT, idle_seconds=_IDLE_SECONDS)
        build = (self.engine, "build", "--tag", IMAGE, "--file", dockerfile, ".")
        yield step(name="triton-image", command=build, says="NVIDIA's Triton with what our models import")
        recipe = repository / "distilbert" / "1" / "plan.json"  # written last
        if not recipe.exists() or recipe.stat().st_mtime < _WEIGHTS.stat().st_mtime:
            words = ("-m", "training", "variants", "--variant", "tensorrt", "--out", str(repository.parent))
            yield step(name="gpu-graphs", command=(sys.executable, *words), says="graphs for TensorRT")
        plans = self.command(state, ("true", f"--model-repository={repository}"))
        yield step(name="gpu-plans", command=plans, says=f"plans for {self.name}")

    def repository(self, state: State) -> Path:
        """Return the model repository for the card."""
        return state.folder("triton") / "gpu" / "tensorrt"

    def command(self, state: State, server: tuple[str, ...]) -> tuple[str, ...]:
        """Return the command that runs a server in the image: same paths, ports and user as without it."""
        is_docker = Path(self.engine).name == "docker"
        device = ("--gpus=all",) if is_docker else ("--device=nvidia.com/gpu=all", *_ROOTLESS)
        return (
            *(self.engine, "run", "--rm", f"--name={_name(state)}", *device),
            # Its ports stay on the loopback address, its socket in a folder of this user's.
            *("--network=host", "--shm-size=512m", f"--user={os.getuid()}:{os.getgid()}"),
            *("--cap-drop=ALL", "--security-opt=no-new-privileges", f"--volume={state.path}:{state.path}"),
            *(IMAGE, "python3", "-m", "deploy.serve_plans", f"--plans={state.folder('triton/plans')}"),
            *server,
        )

    def remove(self, state: State) -> None:
        """End the container that a killed engine's client left."""
        remove = (self.engine, "rm", "--force", _name(state))
        subprocess.run(remove, capture_output=True, check=False, timeout=60)


def _name(state: State) -> str:
    return f"spamdesk-triton-{hashlib.sha256(os.fsencode(state.path)).hexdigest()[:12]}"
