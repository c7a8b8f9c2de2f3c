"""Each process of the product comes back after a kill: web, broker, beat, and each kind of worker."""

from __future__ import annotations

import os
import signal

import pytest

from deploy.local import application
from tests.faults.stand import Stand

pytestmark = [
    pytest.mark.gate,
    pytest.mark.faults,
    pytest.mark.xdist_group("product"),
    pytest.mark.timeout(600),
]

WORDS = (
    "config.server",
    "valkey-server",
    "beat",
    *(f"--hostname={kind.name}@" for kind in application.workers()),
)


@pytest.mark.parametrize("word", WORDS)
def test_comes_back_after_a_kill(stand: Stand, word: str) -> None:
    stand.wait_until(lambda: _runs(stand, word), f"up: {word}")
    killed = stand.process(word)

    os.kill(killed, signal.SIGKILL)

    stand.wait_until(lambda: killed not in stand.processes(), "gone")
    stand.wait_until(lambda: _runs(stand, word), f"back: {word}")
    stand.wait_until(stand.is_ready, "ready again")


def _runs(stand: Stand, word: str) -> bool:
    try:
        return stand.process(word) > 0
    except ValueError:
        return False
