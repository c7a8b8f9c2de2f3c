"""The supervisor survives the death of anything it started, and its own. Real processes, really killed."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local import ports
from deploy.local.places import ROOT
from scoring.release import Release
from tests import releases
from tests.deploy.product import Product, command_line
from tests.scoring.starter import STARTER

pytestmark = [pytest.mark.faults, pytest.mark.xdist_group("product"), pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def running() -> Iterator[Product]:
    # Not pytest's folder: that one is private, and the database's user must pass when root runs the tests.
    with tempfile.TemporaryDirectory(prefix="spamdesk-product-", ignore_cleanup_errors=True) as folder:
        product = Product(Path(folder) / "state", TRITON_URL="")
        Path(folder).chmod(0o711)
        yield product
        product.end()


@pytest.fixture
def product(running: Product) -> Product:
    running.start()
    running.wait_until(running.is_ready, "ready")
    return running


def test_database_comes_back_after_a_kill(product: Product) -> None:
    killed = product.postgres()

    os.kill(killed, signal.SIGKILL)

    product.wait_until(lambda: _lock_of_another(product, killed), "restarted")
    product.wait_until(product.is_ready, "ready again")


def test_triton_takes_promoted_models_whatever_the_environment_says_of_another(
    product: Product, tmp_path: Path
) -> None:
    stricter = {"review_from": 0.1, "remove_from": 0.97, "audit_rate": 0.03}
    candidate = releases.release(tmp_path / "candidate", thresholds=stricter)
    report = releases.report(candidate=candidate, live=Release.load(STARTER))
    (tmp_path / "report.json").write_text(json.dumps(report))
    command = [sys.executable, "manage.py", "promote", str(candidate.folder), "--report"]
    # The test run's own, as a shell names it in which another installation was set up.
    assert "SPAMDESK_TRITON_ADMIN_SOCKET" in product.environment

    done = subprocess.run(
        [*command, str(tmp_path / "report.json")],
        cwd=ROOT,
        env=product.environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert f"{candidate.id[:12]} is live" in done.stdout, done.stderr


class TestSupervisor:
    def test_leaves_nothing_when_killed_and_starts_again_with_its_data(self, product: Product) -> None:
        cluster = product.state / "postgres" / "cluster"
        made_at = (cluster / "PG_VERSION").stat().st_mtime_ns
        database = product.postgres()

        product.kill()

        product.wait_until(lambda: not product.processes() and not _runs(database), "without leftovers")
        product.start()
        product.wait_until(product.is_ready, "ready again")
        assert (cluster / "PG_VERSION").stat().st_mtime_ns == made_at

    @pytest.mark.last
    @pytest.mark.long
    def test_leaves_nothing_after_ctrl_c(self, product: Product) -> None:
        database = product.postgres()

        code = product.interrupt()

        assert code == 0
        assert product.processes() == []
        assert not _runs(database)
        assert ports.is_free(product.port)

    def test_refuses_a_second_one_in_the_same_folder(self, product: Product) -> None:
        variables = product.environment | {"SPAMDESK_WEB_PORT": str(ports.free())}

        second = subprocess.run(product.command, env=variables, capture_output=True, text=True, check=False)

        assert second.returncode == 1
        assert second.stderr.startswith("spamdesk: already running here (process ")
        assert second.stderr.count("\n") == 1


class _Servers(Product):
    """What `make servers` starts."""

    @property
    def command(self) -> list[str]:
        return [*super().command, "--only-servers"]


@pytest.mark.last
def test_servers_run_alone(running: Product) -> None:
    # In the folder of the product above: the database need not be made again.
    running.end()
    servers = _Servers(running.state)

    servers.start()

    try:
        commands = [command_line(pid) for pid in servers.processes()]
        assert any("valkey-server" in command for command in commands)
        assert not any("deploy.local.parent" in command or "spamdesk (" in command for command in commands)
        assert (servers.state / "addresses.env").exists()
    finally:
        servers.end()


def test_refusal_names_the_variable_when_the_port_is_taken(tmp_path: Path) -> None:
    with socket.create_server((ports.LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        product = Product(tmp_path / "state")
        variables = product.environment | {"SPAMDESK_WEB_PORT": str(port)}

        refused = subprocess.run(product.command, env=variables, capture_output=True, text=True, check=False)

    assert refused.returncode == 1
    assert refused.stderr.startswith(f"spamdesk: port {port} is taken; choose another: SPAMDESK_WEB_PORT=")
    assert refused.stderr.count("\n") == 1


def _lock_of_another(product: Product, killed: int) -> bool:
    try:
        return product.postgres() != killed
    except (OSError, ValueError, IndexError):
        return False


def _runs(process_id: int) -> bool:
    return command_line(process_id) != ""
