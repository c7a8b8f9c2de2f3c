"""Where compiled modules are kept when the environment says to write none.

Standard library only: the installer reads it with the system's Python.
"""

from collections.abc import MutableMapping
from pathlib import Path


def keep(variables: MutableMapping[str, str], *, environment: Path) -> None:
    """Let processes started with these variables keep what they compile, in the environment's own folder.

    PYTHONDONTWRITEBYTECODE, which many images set, keeps the checkout clean. It also makes every process
    compile all that it imports, again and again: its start then takes three times as long.
    """
    if variables.pop("PYTHONDONTWRITEBYTECODE", ""):
        variables.setdefault("PYTHONPYCACHEPREFIX", str(environment / "bytecode"))
