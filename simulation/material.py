"""The material of the simulated world, read from the TOML files beside this module."""

import functools
import tomllib
from importlib import resources
from typing import Any


@functools.cache
def table(name: str) -> dict[str, Any]:
    """Return one material file, e.g. `hosts`, as read."""
    return tomllib.loads(
        resources.files(__package__).joinpath(f"material/{name}.toml").read_text(encoding="utf-8")
    )
