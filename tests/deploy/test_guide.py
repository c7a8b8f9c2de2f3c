"""The operator's guide runs as it stands: from an empty folder to the first key.

The packages are those of this checkout's environment, and the static files are not compressed.
"""

import contextlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from deploy.local.places import ENVIRONMENT, ROOT
from tests.deploy import guide
from tests.faults.stand import WHOLE_PRODUCT

pytestmark = [*WHOLE_PRODUCT, pytest.mark.timeout(900)]

SECTION = "Without containers"


@pytest.fixture(scope="module")
def printed(postgres: None, broker: None, triton: None) -> list[str]:
    """Follow the guide until it starts the processes; return what its commands printed."""
    with tempfile.TemporaryDirectory(prefix="spamdesk-guide-") as name, database() as address:
        folder = Path(name)
        values = own_values(folder, database=address)
        for part in ("release", "state", "settings"):
            (folder / part).mkdir()
        pack(folder / "spamdesk.tar")
        printed = []
        before = ""  # a shell keeps its folder and its variables from one step to the next
        for block in guide.blocks(section=SECTION):
            commands = guide.replaced(block.commands, values)
            if block.kind == "install":
                (folder / "release" / ".venv").symlink_to(ENVIRONMENT.resolve())
            elif block.kind == "root" and "systemctl enable" in commands:
                break
            elif block.kind == "":
                commands = without_compressing(commands)
                printed.append(guide.run(before + commands, folder=folder))
                if commands.startswith("set -a"):
                    before = "".join(commands.splitlines(keepends=True)[:2])
    return printed


def test_every_command_of_the_guide_is_run_or_somebody_elses() -> None:
    kinds = [block.kind for block in guide.blocks(section=SECTION)]

    assert kinds == ["root", "", "install", "", "", "", "root", "", "upgrade", "root"]


def test_an_empty_folder_has_its_tables_its_administrator_and_a_key(printed: list[str]) -> None:
    password, key = last_words(printed)

    assert len(password) == 16
    assert key.startswith("sk_")


def own_values(folder: Path, *, database: str) -> dict[str, str]:
    """Return what stands instead of the guide's folders and addresses."""
    return {
        "/opt/spamdesk": str(folder / "release"),
        "/var/lib/spamdesk": str(folder / "state"),
        "/etc/spamdesk": str(folder / "settings"),
        "postgresql://spamdesk:PASSWORD@db.example:5432/spamdesk": database,
        "redis://:PASSWORD@broker.example:6379/0": f"{os.environ['CELERY_BROKER_URL'].rpartition('/')[0]}/15",
        "grpc://triton.example:8001": os.environ["TRITON_URL"],
    }


@contextlib.contextmanager
def database() -> Iterator[str]:
    """Make an empty database on the test run's server, as an operator would on theirs; return its address."""
    server, name = os.environ["DATABASE_URL"], f"guide_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield urlsplit(server)._replace(path=f"/{name}").geturl()
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def without_compressing(commands: str) -> str:
    """Leave out the static files: compressing them takes most of a minute."""
    return "".join(line for line in commands.splitlines(keepends=True) if "collectstatic" not in line)


def pack(archive: Path) -> None:
    """Pack what `git archive` would, with what is not committed yet."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    there = b"\0".join(name for name in listed.split(b"\0") if name and (ROOT / os.fsdecode(name)).exists())
    command = ["tar", "--create", f"--file={archive}", "--null", "--files-from=-"]
    subprocess.run(command, cwd=ROOT, input=there, check=True)


def last_words(printed: list[str]) -> tuple[str, str]:
    """Return the password and the key, each of which was printed once."""
    [said] = [text for text in printed if re.search(r"^sk_", text, re.MULTILINE)]
    password, key = said.split()[-2:]
    return password, key
