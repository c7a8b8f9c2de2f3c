"""The screen that `make run` ends with."""

from __future__ import annotations

from pathlib import Path

from deploy.local.places import State
from deploy.local.screen import screen


def test_says_what_the_preparation_warns_of(tmp_path: Path) -> None:
    state = State(tmp_path)
    calm = screen(port=8000, state=state, mode="demo")
    state.warning.write_text("Posts are not scored: release 0123 does not know context.mentions\n")

    warned = screen(port=8000, state=state, mode="demo")

    assert "WARNING" not in calm
    assert warned == f"{calm}\n  WARNING    {state.warning.read_text()}"
