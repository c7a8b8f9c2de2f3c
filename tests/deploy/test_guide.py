"""The operator's guide runs as it stands: from an empty folder to a decision that a platform reads.

`make test` runs the commands up to the first key, without compressing the static files.
`SPAMDESK_TRIAL_GUIDE=1` runs all of them, every process included. `SPAMDESK_TRIAL_INSTALL=1` installs the
packages anew, too, which are otherwise those of this checkout's environment.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from deploy.local import ports
from deploy.local.places import ENVIRONMENT, ROOT
from tests.deploy import guide
from tests.faults.stand import WHOLE_PRODUCT

pytestmark = [*WHOLE_PRODUCT, pytest.mark.timeout(900)]

IS_WHOLE = bool(os.environ.get("SPAMDESK_TRIAL_GUIDE"))
IS_INSTALLED_ANEW = bool(os.environ.get("SPAMDESK_TRIAL_INSTALL"))
SECTION = "Without containers"
_PATIENCE_SECONDS = 180


@dataclass(kw_only=True)
class Installation:
    """What the guide's commands made, and what they printed."""

    folder: Path
    url: str
    printed: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def installed(postgres: None, broker: None, triton: None) -> Iterator[Installation]:
    """Follow the guide from its first line to its last question."""
    if IS_WHOLE and shutil.which("curl") is None:
        pytest.skip("the guide's last command needs curl")
    with tempfile.TemporaryDirectory(prefix="spamdesk-guide-") as name, database() as address:
        folder, port = Path(name), ports.free()
        values = own_values(folder, port=port, database=address)
        for part in ("release", "state", "settings"):
            (folder / part).mkdir()
        pack(folder / "spamdesk.tar")
        made = Installation(folder=folder, url=f"http://localhost:{port}")
        running: list[subprocess.Popen[bytes]] = []
        try:
            before = ""  # a shell keeps its folder and its variables from one step to the next
            for block in guide.blocks(section=SECTION):
                commands = guide.replaced(block.commands, values)
                if block.kind == "install":
                    install(commands, folder=folder)
                elif block.kind == "root" and "systemctl enable" in commands:
                    if not IS_WHOLE:
                        break
                    running += started(folder, values)
                elif block.kind == "":
                    commands = commands if IS_WHOLE else without_compressing(commands)
                    made.printed.append(guide.run(before + commands, folder=folder))
                    if commands.startswith("set -a"):
                        before = "".join(commands.splitlines(keepends=True)[:2])
            yield made
        finally:
            stop(running)


def test_every_command_of_the_guide_is_run_or_somebody_elses() -> None:
    kinds = [block.kind for block in guide.blocks(section=SECTION)]

    assert kinds == ["root", "", "install", "", "", "", "root", "", "upgrade", "root"]


def test_an_empty_folder_has_its_tables_its_administrator_and_a_key(installed: Installation) -> None:
    password, key = last_words(installed)

    assert len(password) == 16
    assert key.startswith("sk_")


@pytest.mark.skipif(not IS_WHOLE, reason="SPAMDESK_TRIAL_GUIDE=1 starts every process")
def test_a_post_is_scored_decided_and_read_by_its_platform(installed: Installation) -> None:
    password, key = last_words(installed)
    sign_in(installed.url, password=password)
    headers = {"Authorization": f"Bearer {key}", "X-Forwarded-Proto": "https"}
    with httpx.Client(
        base_url=f"{installed.url}/api/v1", headers=headers, trust_env=False, timeout=30
    ) as api:
        sent = [api.post("/posts", json=post(number)) for number in range(20)]
        assert {answer.status_code for answer in sent} == {202}, sent[0].text
        [case, *_] = wait_for(lambda: api.get("/cases").json()["data"], "a case for a human")
        held = api.put(f"/claims/{case['id']}").json()["case"]
        made = api.post(
            f"/cases/{held['id']}/decisions", json={"verdict": "spam", "version": held["version"]}
        )
        assert made.status_code == 201, made.text

        def told() -> list[Any]:
            page = api.get("/decisions", params={"since": "2026-01-01T00:00:00Z", "limit": 500}).json()
            return [row for row in page["data"] if row["id"] == made.json()["id"]]

        assert wait_for(told, "the decision in the feed")[0]["verdict"] == "spam"


@pytest.mark.skipif(not IS_WHOLE, reason="SPAMDESK_TRIAL_GUIDE=1 starts every process")
def test_an_upgrade_is_what_the_guide_says(installed: Installation) -> None:
    """The old web server answers while the release is unpacked and migrated again."""
    [commands] = [block.commands for block in guide.blocks(section=SECTION) if block.kind == "upgrade"]
    kept = "".join(line for line in commands.splitlines(keepends=True) if "pip install" not in line)
    values = own_values(installed.folder, port=0, database="")

    guide.run(guide.replaced(kept, values), folder=installed.folder)

    assert httpx.get(f"{installed.url}/healthz", trust_env=False).status_code == 200


def own_values(folder: Path, *, port: int, database: str) -> dict[str, str]:
    """Return what stands instead of the guide's folders, port and addresses."""
    return {
        "/opt/spamdesk": str(folder / "release"),
        "/var/lib/spamdesk": str(folder / "state"),
        "/etc/spamdesk": str(folder / "settings"),
        "postgresql://spamdesk:PASSWORD@db.example:5432/spamdesk": database,
        "redis://:PASSWORD@broker.example:6379/0": f"{os.environ['CELERY_BROKER_URL'].rpartition('/')[0]}/15",
        "grpc://triton.example:8001": os.environ["TRITON_URL"],
        "localhost:8000": f"localhost:{port}",
        "--port=8000": f"--port={port}",
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


def install(commands: str, *, folder: Path) -> None:
    """Install the packages as the guide says, or take the environment of this checkout for it."""
    if IS_INSTALLED_ANEW:
        guide.run(commands, folder=folder)
    else:
        (folder / "release" / ".venv").symlink_to(ENVIRONMENT.resolve())


def started(folder: Path, values: dict[str, str]) -> list[subprocess.Popen[bytes]]:
    """Start every unit of the release, as systemd would."""
    settings = guide.environment_file(folder / "settings" / "environment")
    release = folder / "release"
    return [
        guide.start(
            guide.replaced(command, values), folder=release, settings=settings, log=folder / f"{name}.log"
        )
        for name, command in guide.units(release / "deploy" / "systemd").items()
    ]


def stop(running: list[subprocess.Popen[bytes]]) -> None:
    """End every unit as systemd would."""
    for process in running:
        process.terminate()
    for process in running:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def last_words(installed: Installation) -> tuple[str, str]:
    """Return the password and the key, each of which was printed once."""
    [printed] = [text for text in installed.printed if re.search(r"^sk_", text, re.MULTILINE)]
    password, key = printed.split()[-2:]
    return password, key


def sign_in(url: str, *, password: str) -> None:
    """Sign in as the first administrator and choose a password, as a browser behind the proxy does."""
    with httpx.Client(base_url=url, trust_env=False, timeout=30) as desk:
        desk.headers.update({"X-Forwarded-Proto": "https", "Origin": url.replace("http:", "https:")})
        submit(desk, "/sign-in/", "/sign-in/", username="admin", password=password)
        chosen = {"new_password1": "correct horse battery", "new_password2": "correct horse battery"}
        submit(desk, "/account/", "/account/password/", old_password=password, **chosen)
        keep_cookies(desk, page := desk.get("/queue/"))
        assert page.status_code == 200, page.text[-500:]


def submit(desk: httpx.Client, page: str, action: str, **fields: str) -> None:
    """Load a page and send its form; it must lead on."""
    keep_cookies(desk, shown := desk.get(page))
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', shown.text)
    assert token is not None, shown.text[-500:]
    answer = desk.post(action, data=fields | {"csrfmiddlewaretoken": token.group(1)})
    keep_cookies(desk, answer)
    assert answer.status_code == 302, answer.text[-1500:]


def keep_cookies(desk: httpx.Client, answer: httpx.Response) -> None:
    """Send back what is for TLS alone: the proxy that ends it is played here."""
    held = dict(part.split("=", 1) for part in desk.headers.get("Cookie", "").split("; ") if part)
    given = (line.split(";", 1)[0].split("=", 1) for line in answer.headers.get_list("Set-Cookie"))
    held |= {name: value for name, value in given}  # noqa: C416 - pairs of lists
    desk.headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in held.items())


def post(number: int) -> dict[str, Any]:
    """Return a post that a model may be unsure of."""
    return {
        "external_id": f"guide-{number}",
        "text": f"Limited offer {number}: watch it for free at http://site{number}.example/win and tell all",
        "posted_at": datetime.now(UTC).isoformat(),
        "author": {"external_id": f"author-{number}"},
    }


def wait_for(found: Callable[[], list[Any]], what: str) -> list[Any]:
    """Return what is found, once something is."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not (rows := found()):
        assert time.monotonic() < deadline, f"never {what}"
        time.sleep(0.3)
    return rows
