"""Each platform from a running desk: connected, first own report decided, carried out there, without code."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser import whole
from tests.browser.stage import press_and_wait
from tests.browser.whole import desk_of
from tests.deploy.product import Product
from tests.integrations import discourse_server, mastodon_server, matrix_server, ozone_server
from tests.integrations.discourse_server import DiscourseServer
from tests.integrations.lemmy_server import LemmyServer
from tests.integrations.mastodon_server import MastodonServer
from tests.integrations.matrix_server import MatrixServer
from tests.integrations.ozone_server import OzoneServer
from tests.integrations.platform_server import PlatformServer, serving

__all__ = ["desk_of"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.faults,
    pytest.mark.xdist_group("product"),
    pytest.mark.timeout(600),
]
PROMISE_SECONDS = 300
_PATIENCE = 75


@dataclass(frozen=True)
class Case:
    """A platform with one report: what a person types, what they read, what a decision does there."""

    make: Callable[[], Any]
    types: dict[str, str]
    reads: str
    is_done: Callable[[Any], bool]


def mastodon() -> MastodonServer:
    server = MastodonServer()
    server.report("12", mastodon_server.status("901"))
    return server


def discourse() -> DiscourseServer:
    server = DiscourseServer()
    server.queue = {12: server.queue[12]}
    return server


def lemmy() -> LemmyServer:
    server = LemmyServer("v4")
    server.report("post", 5)
    return server


def ozone() -> OzoneServer:
    server = OzoneServer()
    server.statuses = server.statuses[:1]
    return server


def matrix() -> MatrixServer:
    server = MatrixServer()
    server.report("Cheap watches https://watches.test/now")
    return server


CASES = {
    "mastodon": Case(mastodon, {}, "pills", lambda server: server.accounts["77"]["silenced"]),
    "discourse": Case(
        discourse,
        {"user": discourse_server.MODERATOR, "key": discourse_server.KEY},
        "pills",
        lambda server: bool(server.posts[50]["deleted_at"]),
    ),
    "lemmy": Case(
        lemmy,
        {"user": "mod", "password": "pass"},
        "Cheap pills",
        lambda server: server.items["post", 55]["removed"],
    ),
    "ozone": Case(
        ozone,
        {
            "handle": ozone_server.HANDLE,
            "password": ozone_server.PASSWORD,
            "labeler": ozone_server.LABELER,
        },
        "bank.example",
        lambda server: ozone_server.POST in server.labelled,
    ),
    "matrix": Case(
        matrix, {"token": matrix_server.TOKEN}, "Cheap watches", lambda server: bool(server.redacted)
    ),
}


HOSTS = {kind: f"127.0.0.{number}" for number, kind in enumerate(CASES, start=2)}
"""Each has a host, hence a platform, of its own: what a decision does is chosen for a platform."""


@pytest.fixture(scope="module")
def product() -> Iterator[Product]:
    with whole.running(posts=0, SPAMDESK_EGRESS_PRIVATE_HOSTS=",".join(HOSTS.values())) as product:
        yield product


@pytest.mark.parametrize("kind", list(CASES))
def test_from_the_address_to_the_decision_carried_out(
    kind: str, desk_of: Callable[[str], Page], product: Product
) -> None:
    case = CASES[kind]
    with serving(case.make(), host=HOSTS[kind]) as server:
        desk = desk_of("admin")
        began = time.monotonic()
        _connect(desk, kind, case, server)
        expect(desk.get_by_text("Connected as")).to_be_visible()
        desk.get_by_role("button", name="Carry decisions out").click()
        expect(desk.get_by_text("Decisions are carried out.")).to_be_visible()

        _wait_for_case(desk, product)
        desk.goto("/queue/")
        press_and_wait(desk, "r")
        expect(desk.locator("#main")).to_contain_text(case.reads)
        press_and_wait(desk, "s")

        product.wait_until(lambda: case.is_done(server), f"{kind} was told", patience_seconds=_PATIENCE)
        assert time.monotonic() - began < PROMISE_SECONDS
        assert whole.waiting(product) == 0


def _connect(desk: Page, kind: str, case: Case, server: PlatformServer) -> None:
    desk.goto(f"/integrations/new/{kind}/")
    desk.locator("[name=base_url]").fill(server.url)
    for name, value in case.types.items():
        desk.locator(f"[name={name}]").fill(value)
    desk.get_by_role("button", name="Connect").click()
    if isinstance(server, MastodonServer):
        link = desk.get_by_role("link", name="Sign in at").get_attribute("href") or ""
        code, state = server.authorize(link), dict(parse_qsl(urlsplit(link).query))["state"]
        desk.goto(f"/integrations/signed-in/?code={code}&state={state}")


def _wait_for_case(desk: Page, product: Product) -> None:
    product.wait_until(
        lambda: whole.waiting(product) == 1, "the report is a case", patience_seconds=_PATIENCE
    )
    desk.reload()
