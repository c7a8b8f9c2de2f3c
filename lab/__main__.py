"""Run measurements: `python -m lab` lists them, `python -m lab latency …` runs one.

Each is a module with a `main` that takes its options, which `add_arguments` declares if there are any.
"""

import argparse
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
    script = importlib.import_module(f"lab.{sys.argv[1]}")
    parser = argparse.ArgumentParser(
        prog=f"python -m lab {sys.argv[1]}",
        description=script.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if hasattr(script, "add_arguments"):
        script.add_arguments(parser)
    script.main(parser.parse_args(sys.argv[2:]))


if __name__ == "__main__":
    main()
