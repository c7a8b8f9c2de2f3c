"""The screen that `make run` ends with, and the state folder that it names."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from deploy.local.places import State
from deploy.local.run import screen


def test_says_what_the_preparation_warns_of(tmp_path: Path) -> None:
    state = State(tmp_path)
    calm = screen(port=8000, state=state, mode="demo")
    state.warning.write_text("Posts are not scored: release 0123 does not know context.mentions\n")

    warned = screen(port=8000, state=state, mode="demo")

    assert "WARNING" not in calm
    assert warned == f"{calm}\n  WARNING    {state.warning.read_text()}"


def test_a_secret_that_was_half_written_is_not_taken_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", Mock(side_effect=OSError("the disk is full")))
        with pytest.raises(OSError, match="full"):
            State(tmp_path).secret("broker-password")

    assert len(State(tmp_path).secret("broker-password")) > 40
