"""Pin every dependency of pyproject.toml in requirements/, with hashes and without download addresses.

`make lock` keeps the pins that still fit; `make lock UPGRADE=1` takes the newest.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

from deploy.local import packages
from deploy.local.places import REQUIREMENTS, ROOT


def _groups(*names: str) -> tuple[str, ...]:
    return tuple(part for name in names for part in ("--group", name))


_LOCKS: dict[str, tuple[str, ...]] = {
    # The superset comes first: the others repeat its versions.
    "test": ("pyproject.toml", *_groups("local", "ocr", "train", "sagemaker", "tracing", "dev")),
    "run": ("pyproject.toml", *_groups("local", "ocr"), "-c", "requirements/test.txt"),
    "runtime": ("pyproject.toml", *_groups("ocr"), "-c", "requirements/test.txt"),
    "training": ("pyproject.toml", *_groups("ocr", "train"), "-c", "requirements/test.txt"),
    "sagemaker": ("--group", "pyproject.toml:sagemaker", "-c", "requirements/test.txt"),
    "tracing": ("--group", "pyproject.toml:tracing", "-c", "requirements/test.txt"),
    "speech": ("--group", "pyproject.toml:speech", "-c", "requirements/test.txt"),
    "base": ("--group", "pyproject.toml:base"),
    "akismet": ("--group", "pyproject.toml:akismet", "-c", "requirements/test.txt"),
    "browser": ("--group", "pyproject.toml:browser"),
    "triton": ("--group", "pyproject.toml:triton", "--python-version", "3.11"),
}
_OPTIONS = (
    "--universal",
    "--generate-hashes",
    "--only-binary=:all:",  # a bare machine has no compiler
    "--no-emit-package=torch",  # its builds differ in hash from index to index
    "--no-annotate",
    "--custom-compile-command=make lock",
    "--quiet",
)


def main(arguments: list[str]) -> None:
    """Rewrite the files of requirements/; raises CalledProcessError if versions conflict."""
    environment = packages.uv_environment()
    for name in ("UV_FIND_LINKS", "UV_INDEX"):  # a lock holds for every machine, not for this one's wheels
        environment.pop(name, None)
    upgrade = ["--upgrade"] if "--upgrade" in arguments else []
    for name, sources in _LOCKS.items():
        target = Path("requirements") / f"{name}.txt"
        print(f"locking {target}", flush=True)
        command = [str(packages.UV), "pip", "compile", *sources, *_OPTIONS, *upgrade, "-o", str(target)]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    torch = next(line for line in groups["train"] if line.startswith("torch=="))
    (REQUIREMENTS / "torch.txt").write_text(f"{torch}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
