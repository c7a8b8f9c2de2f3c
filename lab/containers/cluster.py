"""The product on several machines: containers of one network, each a machine whose line can be cut.

The engine must be this trial's alone. The state folder is one volume, as a network file system would be. The
commands for PostgreSQL's standby and failover are those of the operator's guide, read from it.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from deploy.local.places import ROOT
from lab.containers import client, images
from lab.containers import engine as containers
from lab.containers.engine import Engine, Failed

_GUIDE = ROOT / "docs" / "operators-guide.md"
_CONFIGURATION = ROOT / "deploy" / "containers" / "cluster.cfg"
_PREFIX = "spamdesk-host-"
_NETWORK = f"{_PREFIX}lines"
_APPLICATION = f"localhost/{images.BUILT['web']}"
_QUEUES = {
    "scoring-1": "scoring",
    "scoring-2": "scoring",
    "housekeeping": "housekeeping",
    "exports": "exports",
    "background": "campaigns,explanations,reputation,erasures,default,webhooks,evidence",
}
_STORES = ("postgres-a", "postgres-b", "valkey", "triton-1", "triton-2")
MACHINES = (*_STORES, "web-1", "web-2", *_QUEUES, "beat", "balancer")
_THREADS = {"exports", "background"}
_HEALTHY_SECONDS = 600
_SHARED = {"state": "/var/lib/spamdesk", "promoted": "/promoted"}
_IS_READY = """
from urllib.request import Request, urlopen
urlopen(Request("http://127.0.0.1:8000/readyz?only=database", headers={"Host": "localhost"}), timeout=5)
"""
_STANDBY = """
install -d -o postgres -g postgres -m 700 "$PGDATA"
as_postgres="setpriv --reuid postgres --regid postgres --clear-groups --"
[ -s "$PGDATA/PG_VERSION" ] || $as_postgres sh -euc {copy}
exec docker-entrypoint.sh postgres -c cluster_name=standby
"""


def guide_commands(name: str) -> list[str]:
    """Return the shell blocks of the operator's guide that are marked with this name, in their order."""
    blocks = re.findall(rf"^```sh {name}\n(.*?)^```$", _GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    if not blocks:
        raise Failed(f"the operator's guide has no block ```sh {name}")
    return [str(block) for block in blocks]


@dataclass(frozen=True)
class Cluster:
    """The machines, and the line of each."""

    engine: Engine
    environment: Path
    secrets: dict[str, str]
    port: int

    @classmethod
    def create(cls, engine: Engine, *, folder: Path, settings: dict[str, str], port: int) -> Cluster:
        """Write the settings of every process; make network and volumes."""
        secrets = settings | {"REPLICATION_PASSWORD": settings["POSTGRES_PASSWORD"][::-1]}
        login = f"postgresql://spamdesk:{settings['POSTGRES_PASSWORD']}"
        hosts = f"{_PREFIX}postgres-a:5432,{_PREFIX}postgres-b:5432/spamdesk?target_session_attrs=read-write"
        values = {name: value for name, value in settings.items() if name.startswith("SPAMDESK_")} | {
            "DATABASE_URL": f"{login}@{hosts}",
            "DATABASE_STANDBY_URL": f"{login}@{_PREFIX}postgres-b:5432/spamdesk",
            "CELERY_BROKER_URL": f"redis://:{settings['VALKEY_PASSWORD']}@{_PREFIX}valkey:6379/0",
            "TRITON_URL": f"grpc://{_PREFIX}balancer:8001",
            "SPAMDESK_PROXIES": "1",
            "SPAMDESK_TRITON_MODELS_DIR": "/promoted/models",
        }
        environment = folder / "machines"
        environment.write_text("".join(f"{name}={value}\n" for name, value in values.items()))
        environment.chmod(0o600)
        return cls(engine, environment, secrets, port)

    def start(self, *, say: containers.Say) -> None:
        """Start PostgreSQL with its standby, the other servers, and then the product."""
        self.engine("network", "create", _NETWORK)
        for name in ("postgres-a", "valkey", "triton-1", "triton-2"):
            self._run(name)
        self.engine.weigh()
        self._await("postgres-a", "pg_isready", "-U", "spamdesk", "-h", "127.0.0.1")
        for block in guide_commands("primary"):
            self.shell("postgres-a", block)
        self._start_standby()
        say("  a standby follows, and commits wait for it")
        for name in ("triton-1", "triton-2"):
            self._await(name, "curl", "-sf", "localhost:8000/v2/models/content/ready")
        self._once("python manage.py migrate --no-input && python manage.py collectstatic --no-input")
        for name in ("web-1", "web-2", *_QUEUES, "beat"):
            self._run(name)
        for name in ("web-1", "web-2"):
            self._await(name, "python", "-c", _IS_READY)
        self._run("balancer")
        containers.wait(
            "the balancer", lambda: client.answers(self.port, "/healthz"), seconds=_HEALTHY_SECONDS
        )
        say(f"  {len(MACHINES)} machines run")

    def _start_standby(self) -> None:
        """Make a standby by the guide's commands, on an empty volume, and let commits wait for it."""
        self._run("postgres-b")
        self._await("postgres-b", "pg_isready", "-U", "spamdesk", "-h", "127.0.0.1")
        query = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
        containers.wait(
            "a streaming standby", lambda: self.query("postgres-a", query) == "1", seconds=_HEALTHY_SECONDS
        )
        for block in guide_commands("synchronous"):
            self.shell("postgres-a", block)

    def query(self, name: str, sql: str) -> str:
        """Return the one value that a server answers to the superuser."""
        return self.run(name, "psql", "-U", "spamdesk", "-d", "spamdesk", "-Atc", sql).strip()

    def shell(self, name: str, block: str) -> str:
        """Run a block of the guide on a machine, with its example's names replaced by the trial's."""
        options = ("--user=postgres", "--env=PGUSER=spamdesk", "--env=PGDATABASE=spamdesk")
        return self.engine("exec", *options, self.container(name), "sh", "-euc", self._with_our_names(block))

    def run(self, name: str, *command: str) -> str:
        """Run a command on a machine."""
        return self.engine("exec", self.container(name), *command)

    def container(self, name: str) -> str:
        """Return the name of a machine's container, which is its host name, too."""
        return f"{_PREFIX}{name}"

    def address(self, name: str) -> str:
        """Return the database's address on one of its machines."""
        return (
            f"postgresql://spamdesk:{self.secrets['POSTGRES_PASSWORD']}@{self.container(name)}:5432/spamdesk"
        )

    def cut(self, name: str) -> None:
        """Pull the machine's cable: what it sent and what is sent to it is lost, and nobody is told."""
        self._line(name, "down")

    def mend(self, name: str) -> None:
        """Plug it in again."""
        self._line(name, "up")

    def stop(self) -> None:
        """Remove machines, volumes and network."""
        self.engine("rm", "--all", "--force", "--time=0")
        self.engine("volume", "rm", "--all", "--force")
        self.engine("network", "rm", "--force", _NETWORK)

    def _line(self, name: str, state: str) -> None:
        process = str(self.engine.state(self.container(name))["Pid"])
        command = ["nsenter", "--target", process, "--net", "ip", "link", "set", "eth0", state]
        subprocess.run(command, check=True)

    def _await(self, name: str, *command: str) -> None:
        answers = partial(self.engine.succeeds, "exec", self.container(name), *command)
        containers.wait(name, answers, seconds=_HEALTHY_SECONDS)

    def _run(self, name: str) -> None:
        options = [f"--name={self.container(name)}", f"--network={_NETWORK}", "--restart=unless-stopped"]
        self.engine("run", "--detach", *options, *self._what(name))

    def _once(self, command: str) -> None:
        options = ["--rm", f"--network={_NETWORK}", *self._application()]
        self.engine("run", *options, "sh", "-c", command)

    def _application(self) -> list[str]:
        volumes = [f"--volume={_PREFIX}{name}:{place}" for name, place in _SHARED.items()]
        limits = ["--read-only", "--tmpfs=/tmp", "--cap-drop=all", f"--env-file={self.environment}"]
        return [*limits, *volumes, _APPLICATION]

    def _what(self, name: str) -> list[str]:
        """Return options, image and command of a machine."""
        kind = name.partition("-")[0]
        if kind == "postgres":
            return self._postgres(name)
        servers = {"valkey": self._valkey, "triton": self._triton, "web": self._application}
        if kind in servers:
            return servers[kind]()
        if name == "balancer":
            configuration = f"--volume={_CONFIGURATION}:/etc/trial/haproxy.cfg:ro"
            return [configuration, f"--publish=127.0.0.1:{self.port}:8000", images.stand_in("haproxy")]
        return self._celery(name)

    def _triton(self) -> list[str]:
        image = f"localhost/{images.BUILT['triton-cpu']}"
        return [f"--volume={_PREFIX}promoted:/promoted", "--shm-size=512m", image]

    def _valkey(self) -> list[str]:
        start = 'printf \'requirepass "%s"\\nappendonly yes\\n\' "$REDISCLI_AUTH" > /tmp/valkey.conf'
        start += " && exec docker-entrypoint.sh valkey-server /tmp/valkey.conf"
        options = [
            f"--env=REDISCLI_AUTH={self.secrets['VALKEY_PASSWORD']}",
            f"--volume={_PREFIX}valkey:/data",
        ]
        return [*options, images.stand_in("valkey"), "sh", "-c", start]

    def _celery(self, name: str) -> list[str]:
        celery = [*self._application(), "celery", "--quiet", "--app=config.celery:app"]
        if name == "beat":
            return [*celery, "beat", "--pidfile="]
        pool = ["--pool=threads", "--concurrency=4"] if name in _THREADS else ["--concurrency=1"]
        without = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        return [*celery, "worker", f"--queues={_QUEUES[name]}", *pool, *without]

    def _postgres(self, name: str) -> list[str]:
        values = {
            "POSTGRES_USER": "spamdesk",
            "POSTGRES_DB": "spamdesk",
            "POSTGRES_PASSWORD": self.secrets["POSTGRES_PASSWORD"],
            "PGDATA": "/var/lib/postgresql/data/pgdata",
        }
        options = [f"--env={key}={value}" for key, value in values.items()]
        options += [f"--volume={_PREFIX}{name}:/var/lib/postgresql/data", "--shm-size=256m"]
        if name == "postgres-a":
            return [*options, images.stand_in("postgres"), "postgres"]
        copy = self._with_our_names("".join(guide_commands("standby")))
        start = _STANDBY.format(copy=shlex.quote(copy))
        return [*options, images.stand_in("postgres"), "sh", "-euc", start]

    def _with_our_names(self, block: str) -> str:
        """Replace the names of the guide's example by the trial's."""
        ours = {"postgres-a": f"{_PREFIX}postgres-a", "CHOOSE-ONE": self.secrets["REPLICATION_PASSWORD"]}
        return re.sub("|".join(ours), lambda match: ours[match[0]], block)
