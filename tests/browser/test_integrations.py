"""Each platform from a running desk, without code: connected, first own report decided, carried out there,
taken back; reports that the platform sends by itself; and a blog whose comments wait for a person.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from deploy.local.places import ROOT
from tests.browser import stage, whole
from tests.browser.stage import press_and_wait
from tests.browser.whole import desk_of
from tests.deploy.product import Product
from tests.integrations import discourse_server, mastodon_server, ozone_server, stand_ins
from tests.integrations.mastodon_server import MastodonServer
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
_COMMENT = {"blog": "https://blog.example/", "user_ip": "192.0.2.7", "comment_author": "Ann"}


def mastodon_sends(server: Any) -> tuple[dict[str, str], bytes]:
    report = server.report("13", mastodon_server.status("902", content="<p>Sent by webhook</p>"))
    return mastodon_server.delivery("report.created", report)


def discourse_sends(_: Any) -> tuple[dict[str, str], bytes]:
    post = discourse_server.post(51, raw="Sent by webhook", topic_id=20, category_id=4)
    return discourse_server.delivery("post_created", post=post)


@dataclass(frozen=True)
class Case:
    """What a person reads of the one report, and what a decision does there; `sends` is a delivery."""

    reads: str
    does: str
    sends: Callable[[Any], tuple[dict[str, str], bytes]] | None = None
    secret: str = ""


CASES = {
    "mastodon": Case("pills", "silenced 77", mastodon_sends, mastodon_server.SECRET),
    "discourse": Case("pills", "deleted_at 50", discourse_sends, discourse_server.SECRET),
    "lemmy": Case("Cheap pills", "post 55"),
    "ozone": Case("bank.example", f"label {ozone_server.POST}"),
    "matrix": Case("Cheap watches", "$event-1"),
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
    with serving(stand_ins.MAKE[kind](), host=HOSTS[kind]) as server:
        desk = desk_of("admin")
        began = time.monotonic()
        _connect(desk, kind, server)
        expect(desk.get_by_text("Connected as")).to_be_visible()
        desk.get_by_role("button", name="Carry decisions out").click()
        expect(desk.get_by_text("Decisions are carried out.")).to_be_visible()
        connected = desk.url

        _wait_for_case(desk, product)
        _decide(desk, case.reads, "s")
        if kind == "matrix":  # a redaction is for good: somebody else confirms it
            lead = desk_of("lead")
            lead.goto("/decisions/actions/")
            expect(lead.get_by_text("cannot be undone")).to_be_visible()
            lead.get_by_role("button", name="Confirm").click()
            expect(lead.get_by_text("Confirmed. The platform is told.")).to_be_visible()

        product.wait_until(
            lambda: server.restrictions() == {case.does}, f"{kind} was told", patience_seconds=_PATIENCE
        )
        assert time.monotonic() - began < PROMISE_SECONDS
        if isinstance(server, MastodonServer):
            server.reports["12"]["created_at"] = datetime.now(UTC).isoformat()
            desk.goto("/history/")
            desk.get_by_role("button", name=server.url).click()
            expect(desk.get_by_text("What the filter would have done")).to_be_visible(timeout=120_000)
        if case.sends is not None:
            _send(desk, connected, case, server)
            _wait_for_case(desk, product)
            _decide(desk, "Sent by webhook", "f")
        assert whole.waiting(product) == 0
        if kind != "matrix":
            _take_back(desk, product)
            product.wait_until(
                lambda: not server.restrictions(), f"{kind} took it back", patience_seconds=_PATIENCE
            )


def test_a_comment_of_a_blog_waits_for_a_person(desk_of: Callable[[str], Page], product: Product) -> None:
    command = [sys.executable, "manage.py", "create_api_key", "blog", "--register", "Blog"]
    made = subprocess.run(
        command, cwd=ROOT, env=product.environment, stdout=subprocess.PIPE, check=True, timeout=600
    )
    whole.rows(product, "UPDATE moderation_apikey SET pending_hours = 4 WHERE name = 'key'")
    form = _COMMENT | {"api_key": made.stdout.decode().strip(), "comment_content": "Watches for less, hurry"}
    host = f"http://127.0.0.1:{product.port}"

    def checked() -> str:
        return httpx.post(f"{host}/1.1/comment-check", data=form, trust_env=False, timeout=30).text

    assert checked() == "pending"
    desk = desk_of("moderator")
    _wait_for_case(desk, product)
    _decide(desk, "Watches for less", "s")
    product.wait_until(lambda: checked() == "true", "the blog learns of it", patience_seconds=_PATIENCE)


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


def _connect(desk: Page, kind: str, server: PlatformServer) -> None:
    desk.goto(f"/integrations/new/{kind}/")
    desk.locator("[name=base_url]").fill(server.url)
    for name, value in stand_ins.TYPED[kind].items():
        desk.locator(f"[name={name}]").fill(value)
    desk.get_by_role("button", name="Connect").click()
    if isinstance(server, MastodonServer):
        link = desk.get_by_role("link", name="Sign in at").get_attribute("href") or ""
        back = stand_ins.allowed(server, link)
        desk.goto(f"/integrations/signed-in/?code={back['code']}&state={back['state']}")


def _wait_for_case(desk: Page, product: Product) -> None:
    product.wait_until(
        lambda: whole.waiting(product) == 1, "the report is a case", patience_seconds=_PATIENCE
    )
    desk.reload()


def _decide(desk: Page, reads: str, key: str) -> None:
    desk.goto("/queue/")
    press_and_wait(desk, "r")
    expect(desk.locator("#main")).to_contain_text(reads)
    press_and_wait(desk, key)


def _send(desk: Page, page: str, case: Case, server: PlatformServer) -> None:
    """Paste the platform's secret, and let it send what it would, once unsigned."""
    desk.goto(page)
    desk.get_by_text("Faster: let the platform send").click()
    hook = desk.locator(".link").inner_text()
    desk.locator("[name=secret]").fill(case.secret)
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Saved.")).to_be_visible()
    assert case.sends is not None
    headers, body = case.sends(server)
    forged = {name: "sha256=0" if "signature" in name else value for name, value in headers.items()}
    answers = [httpx.post(hook, content=body, headers=sent, trust_env=False) for sent in (forged, headers)]
    assert [answer.status_code for answer in answers] == [401, 202]


def _take_back(desk: Page, product: Product) -> None:
    """Correct the last spam decision on its page."""
    spam = "SELECT max(id) FROM moderation_decision WHERE verdict = 'spam'"
    number = whole.rows(product, spam)[0][0]
    desk.goto(f"/decisions/{number}/correct/?verdict=not_spam")
    desk.locator("[name=reason]").fill("A joke")
    desk.get_by_role("button", name="Correct").click()
