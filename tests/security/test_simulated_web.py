"""Only pages that simulated posts name come from this machine; the guard holds for all else."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from config.environment import Environment
from moderation.operations.evidence import answers
from moderation.operations.infrastructure import egress
from simulation.web.server import WebServer
from simulation.web.simulated_web import Reply, SimulatedWeb
from tests.config.test_environment import ADDRESSES, PRODUCTION
from tests.simulation.served_web import serving

pytestmark = pytest.mark.whole

PRIVATE = ("http://127.0.0.1/", "http://localhost/", "http://10.0.0.1/", "http://[::1]/", "http://0x7f.1/")


class Told(SimulatedWeb):
    """Says where it was asked."""

    def answer(self, url: str, *, agent: str, at: datetime) -> Reply | None:
        return Reply(body=url.encode())


@pytest.fixture
def server(settings: Settings) -> Iterator[WebServer]:
    with serving(Told(), clock=lambda: datetime(2026, 3, 1, tzinfo=UTC)) as served:
        settings.SIMULATED_WEB_PORT = served.server_port
        yield served


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names that were looked up; each leads to this machine, as a hostile name server would have it."""
    asked: list[str] = []

    def resolve(host: str, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return asked


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/x?y=1",
        "https://b.test/",
        "https://c.D.invalid/",
        "https://xn--80ak6aa92e.example/",
        "https://youtube.com/",
    ],
)
def test_a_page_that_a_simulation_names_comes_from_this_machine(url: str, server: WebServer) -> None:
    answer = answers.get(url, seconds=5.0)

    assert answer.body.decode().lower() == url.replace("https:", "http:").lower()


@pytest.mark.parametrize(
    "host", ["example.com", "example", "a.example.net", "myexample", "evil-test", "m.youtube.com"]
)
def test_no_other_name_does(host: str, server: WebServer, resolved: list[str]) -> None:
    with pytest.raises(egress.Refused):
        answers.get(f"http://{host}/", seconds=5.0)


@pytest.mark.parametrize("url", PRIVATE)
def test_private_addresses_stay_refused(url: str, server: WebServer) -> None:
    with pytest.raises(egress.Refused):
        answers.get(url, seconds=5.0)


def test_the_port_of_an_address_chooses_nothing(server: WebServer) -> None:
    assert answers.get("http://a.example:8080/", seconds=5.0).status == 200
    with pytest.raises(egress.Refused):
        answers.get(f"http://a.example:{server.server_port}/", seconds=5.0)


def test_what_is_no_page_does_not_come_from_there(server: WebServer, resolved: list[str]) -> None:
    with pytest.raises(egress.Refused, match="not a public address"):
        egress.request("POST", url="http://hooks.example/", body=b"{}", headers={})
    assert resolved == ["hooks.example"]


@pytest.mark.parametrize(("port", "is_production"), [(False, False), (True, True)])
def test_without_the_setting_and_in_production_reserved_names_are_names_like_others(
    port: bool, is_production: bool, server: WebServer, settings: Settings, resolved: list[str]
) -> None:
    settings.SIMULATED_WEB_PORT, settings.IS_PRODUCTION = server.server_port if port else 0, is_production

    with pytest.raises(egress.Refused, match="not a public address"):
        answers.get("http://a.example/", seconds=5.0)
    assert resolved == ["a.example"]


def test_it_is_off_unless_named_and_production_refuses_to_start_with_it() -> None:
    name = "SPAMDESK_SIMULATED_WEB_PORT"

    assert Environment(ADDRESSES).simulated_web_port == Environment(PRODUCTION).simulated_web_port == 0
    assert Environment(ADDRESSES | {name: "8002"}).simulated_web_port == 8002
    with pytest.raises(ImproperlyConfigured, match=name):
        Environment(PRODUCTION | {name: "8002"})


def test_the_server_listens_on_this_machine_alone(server: WebServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
