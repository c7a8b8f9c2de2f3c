"""Each platform from a running desk: connected, first own report decided, carried out there, without code."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser import stage, whole
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


def test_from_a_file_of_past_actions_to_the_report(
    desk_of: Callable[[str], Page], product: Product, tmp_path: Path
) -> None:
    lines = [
        "text,time,action",
        *(f"Bread {n} at the market,2026-03-{1 + n % 28:02}T12:00,ok" for n in range(30)),
    ]
    lines += [f"Win casino money {n} now,2026-03-{1 + n % 28:02}T12:01,removed" for n in range(30)]
    file = tmp_path / "march.csv"
    file.write_text("\n".join(lines))
    before = whole.rows(product, "SELECT count(*) FROM moderation_post")
    desk = desk_of("lead")

    desk.goto("/history/")
    desk.locator("input[type=file]").set_input_files(file)
    desk.get_by_role("button", name="Read the file").click()
    desk.get_by_role("button", name="Compare").click()
    expect(desk.get_by_role("heading", name="What the filter would have done")).to_be_visible(timeout=240_000)

    expect(desk.get_by_role("row", name="Let through").first).to_contain_text("of")
    assert stage.violations(desk) == []
    assert whole.rows(product, "SELECT count(*) FROM moderation_post") == before


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
