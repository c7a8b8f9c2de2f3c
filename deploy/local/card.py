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
_PICTURES = "image-repository"  # as the ML guide names it, in the state folder
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
        """Yield what comes before a start, if due: the image, graphs of each model, their plans."""
        self.remove(state)
        repository, dockerfile = self.repository(state), "deploy/containers/triton.Dockerfile"
        step = partial(Service, folder=ROOT, idle_seconds=_IDLE_SECONDS)
        build = (self.engine, "build", "--tag", IMAGE, "--file", dockerfile, ".")
        yield step(name="triton-image", command=build, says="NVIDIA's Triton with what our models import")
        for model, source, last in (  # of several recipes the one that is written last
            ("content", ROOT / "triton_repo", "topics_encoder"),
            ("image", state.path / _PICTURES, "resnet50"),
        ):
            recipe = repository / last / "1" / "plan.json"
            graphs = [graph.stat().st_mtime for graph in source.glob("*/1/model.onnx")]
            if graphs and not (recipe.exists() and recipe.stat().st_mtime >= max(graphs)):
                words = ("variants", "--variant", "tensorrt", "--model", model, "--repository", str(source))
                command = (sys.executable, "-m", "training", *words, "--out", str(repository.parent))
                yield step(name=f"gpu-graphs-{model}", command=command, says=f"graphs for TensorRT: {model}")
        plans = self.command(state, ("true", f"--model-repository={repository}"))
        yield step(name="gpu-plans", command=plans, says=f"plans for {self.name}")

    def models(self, state: State) -> tuple[str, ...]:
        """Return what is served on the card: the image model only where somebody made its repository."""
        return ("content", "topics", *(["image"] if (state.path / _PICTURES / "image").is_dir() else []))

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
