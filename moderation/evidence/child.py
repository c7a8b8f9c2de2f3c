"""The process that reads hostile bytes: `python -m moderation.evidence.child`.

It takes frames on its input, answers each on its output, and may be killed at any time. A frame is two
lengths (of a JSON header and of the bytes) and the two; an answer is a length and JSON.
"""

import base64
import dataclasses
import functools
import importlib
import json
import os
import resource
import signal
import struct
import sys
from pathlib import Path
from typing import Any, BinaryIO

from moderation.evidence import jail
from moderation.evidence.facts import Unreadable

READERS = {
    "page": "moderation.evidence.page:read",
    "picture": "moderation.evidence.picture:read",
    "text": "moderation.evidence.picture_text:read",
    "speech": "moderation.evidence.speech:read",
}
"""The function that reads each kind, imported when the first of its kind comes."""

FRAME, ANSWER = struct.Struct(">II"), struct.Struct(">I")
_IDLE_SECONDS = 120.0
"""A process that has read nothing for so long ends: its libraries take memory."""


def main() -> None:
    """Answer frames until the input ends."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # What a library prints must not come between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    frames = sys.stdin.buffer
    while head := frames.read(FRAME.size):
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        answer = json.dumps(_answer(frames, *FRAME.unpack(head)), allow_nan=False).encode()
        answers.write(ANSWER.pack(len(answer)) + answer)
        answers.flush()
        signal.setitimer(signal.ITIMER_REAL, _IDLE_SECONDS)


def _answer(frames: BinaryIO, header_bytes: int, data_bytes: int) -> dict[str, Any]:
    header = json.loads(frames.read(header_bytes))
    data = frames.read(data_bytes)
    # If the process that asked is gone, the alarm ends this one, even within a library's loop.
    signal.setitimer(signal.ITIMER_REAL, header["seconds"] + 1.0)
    # Before the libraries and their threads: no hostile byte has come yet, and none is read outside.
    memory = header["start_with_bytes"]
    lacking = _enter_jail(memory, header["hints"].get("model", "")) if memory else []
    try:
        name, _, function = READERS[header["kind"]].partition(":")
        module = importlib.import_module(name)
    except ImportError:
        return {"unreadable": "not_installed", "lacking": lacking}
    try:
        if memory:
            if start := getattr(module, "start", None):
                start(header["hints"])
            return {"facts": {}, "lacking": lacking}
        return {"facts": _plain(getattr(module, function)(data, header["hints"]))}
    except Unreadable as refused:
        return {"unreadable": refused.reason.value}
    except MemoryError:
        return {"unreadable": "too_large"}
    except Exception as trouble:  # noqa: BLE001 - bytes that a library does not foresee are broken bytes
        return {"unreadable": "broken", "detail": type(trouble).__name__}


@functools.cache
def _enter_jail(memory: int, model: str) -> list[str]:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return jail.enter(readable=[Path(model)] if model else [])


def _plain(facts: object) -> Any:
    if dataclasses.is_dataclass(facts):
        return {field.name: _plain(getattr(facts, field.name)) for field in dataclasses.fields(facts)}
    if isinstance(facts, bytes):
        return base64.b64encode(facts).decode()
    if isinstance(facts, list | tuple):
        return [_plain(part) for part in facts]
    return facts


if __name__ == "__main__":
    main()
