"""The operator's guide runs as it stands: from an empty folder to a score that comes through the proxy.

The packages are those of this checkout's environments, and the static files are not compressed.
"""

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from deploy.local import ports
from deploy.local.places import ENVIRONMENT, ROOT, TRITON_ENVIRONMENT
from tests.deploy import guide
from tests.faults.stand import WHOLE_PRODUCT

pytestmark = [*WHOLE_PRODUCT, pytest.mark.timeout(900)]

SECTION = "Without containers"
_NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log; {user} events {{}}
http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
        fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
        include {folder}/site.conf; }}
"""
_CERTIFICATE = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext"


@dataclass(frozen=True, kw_only=True)
class Installation:
    """What the guide made: its folder, this test's values for the guide's, and the two secrets it printed."""

    folder: Path
    values: dict[str, str]
    password: str
    key: str


@pytest.fixture(scope="module")
def installation(postgres: None, broker: None) -> Iterator[Installation]:
    """Follow the guide until it starts the processes."""
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
                for environment in (ENVIRONMENT, TRITON_ENVIRONMENT):
                    with contextlib.suppress(FileExistsError):
                        (folder / "release" / environment.name).symlink_to(environment.resolve())
            elif block.kind == "root" and "systemctl enable" in commands:
                break
            elif block.kind == "":
                commands = without_compressing(commands)
                printed.append(guide.run(before + commands, folder=folder))
                if commands.startswith("set -a"):
                    before = "".join(commands.splitlines(keepends=True)[:2])
        password, key = last_words(printed)
        yield Installation(folder=folder, values=values, password=password, key=key)


@pytest.fixture(scope="module")
def running(installation: Installation) -> Iterator[Installation]:
    """Start what the units start, with the file of settings that they name."""
    folder = installation.folder
    settings = (folder / "settings" / "environment").read_text()
    environment = guide.bare() | dict(re.findall(r"^(\w+)=(.*)$", settings, re.MULTILINE))
    guide.run(f"{_CERTIFICATE} subjectAltName=DNS:localhost -out own.pem -keyout own.key", folder=folder)
    commands = guide.units(folder / "release" / "deploy" / "systemd").values()
    with contextlib.ExitStack() as ending:
        for command in commands:
            start(guide.replaced(command, installation.values), folder, environment, ending=ending)
        yield installation


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def proxied(running: Installation, request: pytest.FixtureRequest) -> Iterator[Installation]:
    """Put a proxy in front, by the file that ships for it."""
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    folder = running.folder / request.param
    folder.mkdir()
    secure = urlsplit(running.values["https://desk.example"]).port
    own = running.folder / "own"
    values = {
        "127.0.0.1:8000": f"127.0.0.1:{running.values['--port=8000'].removeprefix('--port=')}",
        "listen 443": f"listen {secure}",
        "listen 80": f"listen {ports.free()}",
        "/etc/ssl/desk.example": str(own),
        "desk.example {": f"https://localhost:{secure} {{\n\ttls {own}.pem {own}.key",
    }
    file = "nginx.conf" if request.param == "nginx" else "Caddyfile"
    site = guide.replaced((ROOT / "deploy" / "proxy" / file).read_text(), values)
    (folder / "site.conf").write_text(site)
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "main.conf").write_text(_NGINX.format(folder=folder, user=user))
    runs = {
        "nginx": f"nginx -p {folder} -c {folder}/main.conf -e {folder}/nginx.log",
        "caddy": f"caddy run --adapter caddyfile --config {folder}/site.conf",
    }
    with contextlib.ExitStack() as ending:
        environment = guide.bare() | {"HOME": str(folder)}
        start(runs[request.param], running.folder, environment, ending=ending)
        wait = "curl --insecure --fail --silent --retry 60 --retry-all-errors --retry-delay 2"
        guide.run(f"{wait} {running.values['https://desk.example']}/healthz", folder=folder)
        yield running


def test_every_command_of_the_guide_is_run_or_somebody_elses() -> None:
    kinds = [block.kind for block in guide.blocks(section=SECTION)]

    expected = ["root", "", "install", "install", "", "", "", "root", "check", "upgrade", "root"]
    assert kinds == expected


def test_an_empty_folder_has_its_tables_its_administrator_and_a_key(installation: Installation) -> None:
    assert len(installation.password) == 16
    assert installation.key.startswith("sk_")


def test_every_part_is_ready_and_a_post_is_scored_through_the_proxy(proxied: Installation) -> None:
    [check] = [block.commands for block in guide.blocks(section=SECTION) if block.kind == "check"]
    known = f"export SPAMDESK_KEY={proxied.key} CURL_CA_BUNDLE={proxied.folder}/own.pem\n"

    said = guide.run(known + guide.replaced(check, proxied.values), folder=proxied.folder)

    assert '"missing": []' in said


def test_an_administrator_signs_in_through_the_proxy(proxied: Installation) -> None:
    desk, token = proxied.values["https://desk.example"], "a" * 32  # which Django takes from both places
    form = {"csrfmiddlewaretoken": token, "username": "admin", "password": proxied.password}
    headers = {"Referer": f"{desk}/sign-in/", "Cookie": f"__Host-csrftoken={token}"}

    answer = httpx.post(f"{desk}/sign-in/", data=form, headers=headers, verify=False, timeout=30)

    assert answer.status_code == 302
    assert "Secure" in answer.headers["set-cookie"]


def start(command: str, folder: Path, environment: dict[str, str], *, ending: contextlib.ExitStack) -> None:
    """Start a process whose output goes to a file, to be stopped with its group."""
    words = shlex.split(command)
    output = ending.enter_context((folder / f"{Path(words[0]).name}.log").open("ab"))
    process = subprocess.Popen(
        words, cwd=folder / "release", env=environment, stdout=output, stderr=subprocess.STDOUT
    )
    ending.callback(process.wait, 60)
    ending.callback(process.terminate)


def own_values(folder: Path, *, database: str) -> dict[str, str]:
    """Return what stands instead of the guide's folders and addresses."""
    triton, web = ports.free(), ports.free()
    return {
        "/opt/spamdesk": str(folder / "release"),
        "/var/lib/spamdesk": str(folder / "state"),
        "/etc/spamdesk": str(folder / "settings"),
        "postgresql://spamdesk:PASSWORD@db.example:5432/spamdesk": database,
        "redis://:PASSWORD@broker.example:6379/0": f"{os.environ['CELERY_BROKER_URL'].rpartition('/')[0]}/15",
        "grpc://127.0.0.1:8001": f"grpc://127.0.0.1:{triton}",
        "--grpc-port=8001": f"--grpc-port={triton}",
        "--metrics-port=8002": f"--metrics-port={ports.free()}",
        "--port=8000": f"--port={web}",
        "http://localhost:8000": f"http://localhost:{web}",
        "https://desk.example": f"https://localhost:{ports.free()}",
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
