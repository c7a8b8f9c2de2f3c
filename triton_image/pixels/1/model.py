"""Triton's decoding step: the one place between a client's file and the model's pixels."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import triton_python_backend_utils as pb_utils
from decode import LENGTH, MOST_BYTES

SECONDS = 10.0
"""For one picture; 40 million pixels take one on a busy core."""
_AS_TEXT = (b"/9j/", b"iVBORw0", b"UklGR")
"""How a JPEG, a PNG and a WebP begin in base64: as text, because JSON has no bytes."""
START_SECONDS = 30.0
MEMORY_BYTES = 1_500_000_000


class Refused(ValueError):
    """A picture that is not decoded; the message goes to the client."""


class TritonPythonModel:
    """PICTURE, files as bytes [n, 1] → pixels FP32 [n, 3, crop, crop], normalised."""

    def initialize(self, args: dict[str, str]) -> None:
        """Start the process that decodes. RESIZE, CROP, MEAN and STD are the model's preprocessing."""
        given = json.loads(args["model_config"])["parameters"]
        parameters = {name: str(value["string_value"]) for name, value in given.items()}
        self.side = int(parameters["CROP"])
        self.decoder = Decoder(
            Path(args["model_repository"], args["model_version"], "decode.py"),
            resize=int(parameters["RESIZE"]),
            crop=self.side,
        )
        self.mean, self.deviation = (
            np.array(parameters[name].split(), dtype=np.float32) for name in ("MEAN", "STD")
        )
        self.decoder.start()

    def execute(self, requests: list[Any]) -> list[Any]:
        """Answer every request by itself: one bad picture fails its own request only."""
        return [self._answer(request) for request in requests]

    def finalize(self) -> None:
        """End the process that decodes."""
        self.decoder.end()

    def _answer(self, request: Any) -> Any:
        try:
            files = pb_utils.get_input_tensor_by_name(request, "PICTURE").as_numpy().reshape(-1)
            pixels = np.empty((len(files), 3, self.side, self.side), dtype=np.float32)
            for place, data in enumerate(files):
                pixels[place] = self._pixels(data, place=place, of=len(files))
        except Exception as error:  # noqa: BLE001 - the edge: an exception here would fail the whole batch
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"pixels: {error}"))
        return pb_utils.InferenceResponse([pb_utils.Tensor("pixels", pixels)])

    def _pixels(self, data: bytes, *, place: int, of: int) -> np.ndarray:
        try:
            rows = self.decoder.decoded(_file(data))
        except Refused as refused:
            raise Refused(f"picture {place + 1} of {of}: {refused}") from refused
        shares = np.frombuffer(rows, dtype=np.uint8).reshape(self.side, self.side, 3) / np.float32(255)
        return ((shares - self.mean) / self.deviation).transpose(2, 0, 1)


def _file(data: bytes) -> bytes:
    """Return a file's bytes, which may have been sent in base64."""
    if not data.startswith(_AS_TEXT):
        return data
    try:
        return base64.b64decode(data, validate=True)
    except ValueError as wrong:
        raise Refused("neither a picture nor base64") from wrong


class Decoder:
    """The process of decode.py, one picture at a time; replaced when it is lost or late."""

    def __init__(self, program: Path, *, resize: int, crop: int) -> None:
        self._command = [_python(), str(program), str(resize), str(crop), str(MEMORY_BYTES)]
        self._child: subprocess.Popen[bytes] | None = None

    def decoded(self, data: bytes) -> bytes:
        """Return RGB rows. Raises Refused, also if the picture cost the process its life."""
        if len(data) > MOST_BYTES:
            raise Refused(f"{len(data)} bytes, at most {MOST_BYTES} are read")
        is_new = self._child is None or self._child.poll() is not None
        if is_new:
            self.start()
        try:
            answer = self._asked(data, seconds=SECONDS + (START_SECONDS if is_new else 0.0))
        except (OSError, EOFError) as lost:
            self.end()
            raise Refused(f"decoding it was given up ({type(lost).__name__})") from lost
        if answer[:1] == b"-":
            raise Refused(answer[1:].decode(errors="replace"))
        return answer[1:]

    def start(self) -> None:
        self.end()
        # No environment but what Python needs: the bytes are hostile.
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        self._child = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=kept
        )

    def end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.communicate()

    def _asked(self, data: bytes, *, seconds: float) -> bytes:
        ends_at = time.monotonic() + seconds
        _write(self._child.stdin.fileno(), LENGTH.pack(len(data)) + data, ends_at=ends_at)
        answers = self._child.stdout.fileno()
        return _read(answers, *LENGTH.unpack(_read(answers, LENGTH.size, ends_at=ends_at)), ends_at=ends_at)


def _write(pipe: int, frame: bytes, *, ends_at: float) -> None:
    os.set_blocking(pipe, False)
    left = memoryview(frame)
    while left:
        _wait(pipe, select.POLLOUT, ends_at=ends_at)
        left = left[os.write(pipe, left) :]


def _read(pipe: int, length: int, *, ends_at: float) -> bytes:
    found = bytearray()
    while len(found) < length:
        _wait(pipe, select.POLLIN, ends_at=ends_at)
        piece = os.read(pipe, length - len(found))
        if not piece:
            raise EOFError
        found += piece
    return bytes(found)


def _wait(pipe: int, event: int, *, ends_at: float) -> None:
    poll = select.poll()
    poll.register(pipe, event)
    if not poll.poll(max(0.0, ends_at - time.monotonic()) * 1000):
        raise TimeoutError


def _python() -> str:
    """Return the Python of this environment: within Triton's stub sys.executable names none."""
    found = shutil.which("python3")
    if found is None:
        raise FileNotFoundError("python3 is not on PATH")
    return found
