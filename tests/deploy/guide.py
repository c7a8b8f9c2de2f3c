"""The operator's guide as a program: its commands in order, with this test's folders and addresses."""

import configparser
import os
import re
import subprocess
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.local.places import ROOT

_BLOCK = re.compile(
    r"^(?P<indent> *)```sh(?: (?P<kind>\w+))?\n(?P<commands>.*?)^ *```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True, kw_only=True)
class Block:
    """Commands that stand together. `kind` says who runs them: nobody named is the guide's own user."""

    kind: str
    commands: str


def blocks(*, section: str) -> list[Block]:
    """Return the commands of a section, as they stand there."""
    text = (ROOT / "docs" / "operators-guide.md").read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    return [
        Block(kind=found["kind"] or "", commands=textwrap.dedent(found["commands"]))
        for found in _BLOCK.finditer(text)
    ]


def replaced(text: str, values: Mapping[str, str]) -> str:
    """Put the test's folders and addresses where the guide has its own."""
    for given, own in values.items():
        text = text.replace(given, own)
    return text


def run(commands: str, *, folder: Path) -> str:
    """Run commands as a person would type them; return what they print. Fails with what they said."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=folder,
        env=bare(),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, f"{commands}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def bare() -> dict[str, str]:
    """Return an environment that says nothing of this checkout."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "no_proxy": "localhost,127.0.0.1"}


def units(folder: Path) -> dict[str, str]:
    """Return the command line of each unit by its name, as systemd would run it; the first of a template."""
    found = {}
    for path in sorted(folder.glob("spamdesk-*.service")):
        parser = configparser.RawConfigParser(strict=False)
        parser.optionxform = str  # type: ignore[assignment, method-assign]  # the documented way
        parser.read(path)
        command = parser["Service"]["ExecStart"].replace("-%i", "").replace("%%", "%")
        found[path.stem.removeprefix("spamdesk-").removesuffix("@")] = command
    return found
