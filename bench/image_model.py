"""The image model on Triton, on CPU: pictures a second and latency beside the same network in torch."""

from __future__ import annotations

import argparse
import io
import os
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tritonclient.grpc
from PIL import Image
from tritonclient.utils import InferenceServerException

from deploy.local import ports
from deploy.local.places import State
from deploy.local.supervisor import Supervisor
from deploy.local.triton import Triton
from scoring.training.image import backbone, repository
from scoring.triton_socket import TritonSocket

Judge = Callable[[bytes], object]
_WARM_UP = 3


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One way at one number of callers."""

    way: str
    callers: int
    milliseconds: list[float]
    failed: int
    seconds: float

    @property
    def row(self) -> str:
        """Return the row of the table."""
        median, late = np.percentile(self.milliseconds, [50, 95])
        rate = len(self.milliseconds) / self.seconds
        return f"| {self.way} | {self.callers} | {rate:.1f} | {median:.0f} | {late:.0f} | {self.failed} |"


def main() -> None:
    """Serve a ResNet50 of full size with random weights, and ask for one picture a call."""
    parser = argparse.ArgumentParser(prog="python -m bench image_model", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--callers", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    network = backbone.load(backbone.RANDOM)
    pictures = [_picture(seed) for seed in range(16)]
    cells = [
        _measured("torch, in process", _in_torch(network), pictures, callers=1, seconds=arguments.seconds)
    ]
    with tempfile.TemporaryDirectory(prefix="image-") as folder:
        state = State(Path(folder) / "state")
        repository.write(network, out=Path(folder) / "repository", about={})
        for model in ("image", "pixels", "resnet50"):
            (state.folder("triton/models") / model).symlink_to(Path(folder) / "repository" / model)
        server = Triton(state=state, grpc_port=ports.free(), metrics_port=ports.free())
        with Supervisor(
            logs=state.folder("logs"), mark=folder, environment=os.environ, say=lambda _line: None
        ) as supervisor:
            supervisor.launch(server.service())
            supervisor.wait_until_up(["triton"])
            TritonSocket(server.socket, timeout_seconds=120).load_model("image")
            for callers in arguments.callers:
                judge = _on_triton(server.url.removeprefix("grpc://"))
                cells.append(_measured("Triton", judge, pictures, callers=callers, seconds=arguments.seconds))
    print(f"{arguments.seconds:.0f} s each, JPEG of 640 x 480; load average {os.getloadavg()[0]:.1f}")
    print("| way | callers | pictures/s | median ms | p95 ms | failed |")
    print("|---|--:|--:|--:|--:|--:|")
    for cell in cells:
        print(cell.row)


def _measured(way: str, judge: Judge, pictures: list[bytes], *, callers: int, seconds: float) -> Cell:
    taken: list[float] = []
    failed: list[str] = []
    for picture in pictures[:_WARM_UP]:
        judge(picture)
    began = time.monotonic()

    def call(first: int) -> None:
        number = first
        while time.monotonic() - began < seconds:
            at = time.perf_counter()
            try:
                judge(pictures[number % len(pictures)])
                taken.append(1_000 * (time.perf_counter() - at))
            except InferenceServerException as refusal:  # a full queue, on a machine that others load
                failed.append(str(refusal))
            number += callers

    threads = [threading.Thread(target=call, args=(number,)) for number in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Cell(
        way=way, callers=callers, milliseconds=taken, failed=len(failed), seconds=time.monotonic() - began
    )


def _on_triton(address: str) -> Judge:
    client = tritonclient.grpc.InferenceServerClient(address)

    def judge(picture: bytes) -> object:
        tensor = tritonclient.grpc.InferInput("PICTURE", [1, 1], "BYTES")
        tensor.set_data_from_numpy(np.array([[picture]], dtype=np.object_))
        return client.infer("image", [tensor], client_timeout=60).as_numpy("probabilities")

    return judge


def _in_torch(network: backbone.Backbone) -> Judge:
    import torch  # noqa: PLC0415 - `python -m bench` imports every measurement to list it

    steps = network.preprocessing

    def judge(picture: bytes) -> Any:
        opened = Image.open(io.BytesIO(picture)).convert("RGB")
        shorter = min(opened.size)
        size = tuple(round(steps.resize * side / shorter) for side in opened.size)
        scaled = opened.resize((size[0], size[1]), Image.Resampling.BILINEAR)
        left, top = ((side - steps.crop) // 2 for side in scaled.size)
        middle = np.asarray(scaled.crop((left, top, left + steps.crop, top + steps.crop)), dtype=np.float32)
        mean, deviation = (np.array(part, dtype=np.float32) for part in (steps.mean, steps.deviation))
        pixels = ((middle / 255 - mean) / deviation).transpose(2, 0, 1)
        with torch.inference_mode():
            return torch.softmax(network.model(torch.from_numpy(np.ascontiguousarray(pixels))[None]), dim=1)

    return judge


def _picture(seed: int) -> bytes:
    """Return a JPEG of coarse and fine noise, which compresses about as photographs do."""
    random = np.random.default_rng(seed)
    coarse = Image.fromarray(random.integers(0, 256, (12, 16, 3), dtype=np.uint8)).resize((640, 480))
    fine = random.normal(0, 6, (480, 640, 3))
    mixed = np.clip(np.asarray(coarse, dtype=np.float64) + fine, 0, 255).astype(np.uint8)
    written = io.BytesIO()
    Image.fromarray(mixed).save(written, format="JPEG", quality=85)
    return written.getvalue()
