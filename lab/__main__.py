"""Run measurements: `python -m lab` lists them, `python -m lab latency …` runs one."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path


def main() -> None:
    """Hand over to the script that the first argument names."""
    modules = pkgutil.iter_modules([str(Path(__file__).parent)])
    names = sorted(module.name for module in modules if not (module.ispkg or module.name.startswith("_")))
    if len(sys.argv) < 2 or sys.argv[1] not in names:
        for name in names:
            question = (importlib.import_module(f"lab.{name}").__doc__ or "").partition("\n")[0]
            print(f"  {name:<16} {question}")
        sys.exit(0 if len(sys.argv) < 2 else f"no such measurement: {sys.argv[1]}")
    script = importlib.import_module(f"lab.{sys.argv.pop(1)}")
    script.main()


if __name__ == "__main__":
    main()
