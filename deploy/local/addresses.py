"""The addresses that a running supervisor left, for commands typed in another terminal."""

import os

from deploy.local.places import State

FILE_NAME = "addresses.env"


def fill() -> None:
    """Put the addresses of the running servers into the environment, wherever it does not name others."""
    state = State.from_environment()
    path = state.path / FILE_NAME
    if not path.exists():
        return
    os.environ.setdefault("SPAMDESK_STATE_DIR", str(state.path))
    for line in path.read_text().splitlines():
        name, _, value = line.partition("=")
        os.environ.setdefault(name, value)
