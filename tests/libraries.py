"""Large libraries that some tests need: collecting must not import them, or every worker pays for it."""

import importlib
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import pytest

TORCH = (pytest.mark.train, pytest.mark.xdist_group("torch"), pytest.mark.timeout(300))
"""Marks of tests that compute with torch: one process does all of them."""


class Later:
    """A module that is imported when something of it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # pytest asks everything in a file whether it is a test
            raise AttributeError(name)
        return getattr(importlib.import_module(self._name), name)


def later(name: str) -> Any:
    """Return the module, imported at its first use."""
    return Later(name)


def printed(program: str) -> str:
    """Run a program in a Python of its own; return what it prints."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def needs(*names: str) -> pytest.MarkDecorator:
    """Skip a test where one of these modules of the train group is not installed, without importing any."""
    missing = [name for name in names if find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is in the train group")
