"""The addresses of the running servers, written by the supervisor for commands in other terminals."""

import os
from collections.abc import Mapping

from deploy.local.places import State

_FILE = "addresses.env"
_OF_TRITON = ("TRITON_URL", "SPAMDESK_TRITON_ADMIN_SOCKET", "SPAMDESK_TRITON_MODELS_DIR")
_NAMES = (
    "DATABASE_URL",
    "CELERY_BROKER_URL",
    *_OF_TRITON,
    "SPAMDESK_MODE",
    "SPAMDESK_WEB_PORT",
    "SPAMDESK_POSTGRES_PROGRAMS",
    "SPAMDESK_SIMULATED_WEB_PORT",
)


def write(*, state: State, environment: Mapping[str, str]) -> None:
    """Write the addresses, readable by this user only: they hold passwords."""
    path = state.path / _FILE
    path.touch(mode=0o600)
    path.write_text("".join(f"{name}={environment[name]}\n" for name in _NAMES if name in environment))


def remove(*, state: State) -> None:
    """Delete them: the servers have stopped."""
    (state.path / _FILE).unlink(missing_ok=True)


def fill() -> None:
    """Set the addresses of the running servers in the environment, unless it has others."""
    state = State.from_environment()
    path = state.path / _FILE
    if not path.exists():
        return
    os.environ.setdefault("SPAMDESK_STATE_DIR", str(state.path))
    is_triton_here = "TRITON_URL" not in os.environ
    for line in path.read_text().splitlines():
        name, _, value = line.partition("=")
        if name in _OF_TRITON and is_triton_here:  # one server's address, socket and folder
            os.environ[name] = value
        elif name not in _OF_TRITON:
            os.environ.setdefault(name, value)
