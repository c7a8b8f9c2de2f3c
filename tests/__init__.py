"""Tests of every package: `make test` installs what they need and runs them."""

import importlib.util
import sys

_NEEDED = ("django", "playwright", "pytest_django", "redis", "xdist")

if lacking := [name for name in _NEEDED if importlib.util.find_spec(name) is None]:
    sys.exit(
        f"spamdesk: {sys.executable} lacks {', '.join(lacking)}, which the tests need."
        ' Run `make test`, which installs everything into .venv, or `make test ARGS="tests/… -n 0"` for one.'
    )
