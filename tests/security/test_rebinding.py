"""Trial 19 over a real name server, in a network that has nothing but a loopback interface."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deploy.local.places import ROOT
from tests.security.rebinding import PRIVATE, PUBLIC

pytestmark = pytest.mark.whole

_SETUP = "ip link set lo up && ip address add {public}/32 dev lo && mount --bind {resolver} /etc/resolv.conf"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of the calls."""
    resolver = tmp_path_factory.mktemp("rebinding") / "resolv.conf"
    resolver.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:2\n")
    prepare = _SETUP.format(public=PUBLIC, resolver=resolver)
    setup = _in_own_network(prepare)
    if setup.returncode != 0:
        pytest.skip(f"a network of our own needs root: {setup.stderr.strip()[-200:]}")
    done = _in_own_network(f"{prepare} && exec {sys.executable} -m tests.security.rebinding")
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout))


def _in_own_network(script: str) -> subprocess.CompletedProcess[str]:
    command = ["unshare", "--mount", "--net", "sh", "-c", script]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    except FileNotFoundError as missing:
        pytest.skip(f"a network of our own needs {Path(str(missing.filename)).name}")


def test_a_call_goes_to_the_address_that_was_checked(told: dict[str, Any]) -> None:
    """Public at the first question, private from the second on: one call is made, the next one refused."""
    assert told["turns"] == ["200", "Refused"]
    assert told["asked"]["turns.example"] == 2


def test_a_name_with_any_private_address_is_refused(told: dict[str, Any]) -> None:
    assert (told["both"], told["inside"]) == ("Refused", "Refused")


def test_nothing_private_was_ever_reached(told: dict[str, Any]) -> None:
    assert told["hits"] == {PUBLIC: 1}
    assert PRIVATE not in told["hits"]


def test_a_silent_name_server_is_not_waited_for_for_ever(told: dict[str, Any]) -> None:
    assert told["silent"] == "Failed"
    assert told["silent_seconds"] < 30
