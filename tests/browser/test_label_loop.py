"""A day of the label loop in the whole product: training, shadow, promotion."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import httpx
import pytest
from playwright.sync_api import Page, expect

from deploy.local.places import ROOT
from tests.browser import whole
from tests.browser.whole import desk_of
from tests.deploy.product import PATIENCE_SECONDS, Product
from tests.scoring.platform_posts import decisions

__all__ = ["desk_of"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.long,
    pytest.mark.train,
    pytest.mark.xdist_group("product"),
    pytest.mark.timeout(3_600),
]
DECISIONS, SHADOWED = 150, 30
TRAINING_SECONDS = 2_400
_SHADOWED = "SELECT count(*) FROM moderation_shadowscore"
_TRAINING = "SELECT state, error, right(log, 500) FROM moderation_trainingrun ORDER BY id DESC LIMIT 1"


@pytest.fixture(scope="module")
def product() -> Iterator[Product]:
    # A Triton of its own: promoting stages models beside those that Triton serves.
    with whole.running(posts=20, TRITON_URL="") as product:
        yield product


SCOPES = ("posts:write", "cases:read", "decisions:write", "verdicts:read")


def test_two_people_train_shadow_and_promote(desk_of: Callable[[str], Page], product: Product) -> None:
    engineer, lead = desk_of("ml"), desk_of("lead")
    lead.goto("/quality/")
    expect(lead.get_by_role("heading", level=1)).to_have_text("Quality")
    shipped = _live(engineer)
    with _platform(product) as api:
        _decide(product, api)
        _train(engineer, product)
        _shadow(engineer, product, api)
    assert _promote(engineer, lead) != shipped


def _train(engineer: Page, product: Product) -> None:
    engineer.get_by_role("button", name="Start training").click()
    product.wait_until(
        lambda: whole.rows(product, _TRAINING)[0][0] not in ("waiting", "running"),
        "trained",
        patience_seconds=TRAINING_SECONDS,
    )
    [(state, *said)] = whole.rows(product, _TRAINING)
    assert state == "ready", said


def _shadow(engineer: Page, product: Product, api: httpx.Client) -> None:
    """Compare the candidate on live posts, without effect."""
    engineer.goto("/models/")
    engineer.get_by_role("button", name="Score in shadow").click()
    expect(engineer.get_by_role("button", name="Stop the shadow run")).to_be_visible()
    _send(api, count=SHADOWED, seed=2)
    product.wait_until(
        lambda: whole.rows(product, _SHADOWED) == [(SHADOWED,)], "scored in shadow", patience_seconds=400
    )
    engineer.reload()
    engineer.get_by_role("button", name="Stop the shadow run").click()
    expect(engineer.locator("#main")).to_contain_text("Ended")


def _promote(engineer: Page, lead: Page) -> str:
    """Propose and confirm the candidate; return what is live."""
    engineer.goto("/models/")
    engineer.get_by_label("Reason").fill("It has learned the words of this platform")
    engineer.get_by_role("button", name="Propose to go live").click()
    expect(engineer.get_by_text("A second person has to confirm your proposal.")).to_be_visible()
    expect(engineer.get_by_role("button", name="Confirm and go live")).to_have_count(0)
    lead.goto("/models/")
    lead.get_by_role("button", name="Confirm and go live").click()
    expect(lead.get_by_text("is live. Workers follow")).to_be_visible(timeout=1_000 * PATIENCE_SECONDS)
    return _live(engineer)


def _live(page: Page) -> str:
    """Return the release that the page Models calls live."""
    page.goto("/models/")
    found = page.locator("section[aria-labelledby=live-release] code").first.text_content()
    assert found
    return found.strip()


@contextmanager
def _platform(product: Product) -> Iterator[httpx.Client]:
    """Register a new platform; yield a client of the API with its key."""
    command = [sys.executable, "manage.py", "create_api_key", "loop", "--register", "Loop (made up)"]
    made = subprocess.run(
        [*command, "--acts-as", "lead", *(f"--scope={scope}" for scope in SCOPES)],
        cwd=ROOT,
        env=product.environment,
        stdout=subprocess.PIPE,
        check=True,
        timeout=600,
    )
    with httpx.Client(
        base_url=f"http://127.0.0.1:{product.port}/api/v1",
        headers={"Authorization": f"Bearer {made.stdout.decode().strip()}"},
        trust_env=False,
        timeout=60,
    ) as api:
        yield api


def _send(api: httpx.Client, *, count: int, seed: int) -> dict[str, bool]:
    """Send posts in words that the shipped release has not learned; return which are spam."""
    truth: dict[str, bool] = {}
    for number, one in enumerate(decisions(count, seed=seed)):
        name = f"loop-{seed}-{number}"
        post = {
            "external_id": name,
            "text": one.record.text.rpartition(" ")[0],
            "posted_at": datetime.now(UTC).isoformat(),
            "author": {"external_id": f"author-{name}"},
        }
        api.post("/posts", json=post).raise_for_status()
        truth[name] = one.is_spam
    return truth


def _decide(product: Product, api: httpx.Client) -> None:
    """Send posts of the new platform and decide each."""
    truth = _send(api, count=DECISIONS, seed=1)
    product.wait_until(lambda: len(_waiting(product)) == DECISIONS, "all wait", patience_seconds=400)
    for case, version, name in _waiting(product):
        api.put(f"/claims/{case}").raise_for_status()
        verdict = "spam" if truth[str(name)] else "not_spam"
        answer = api.post(f"/cases/{case}/decisions", json={"verdict": verdict, "version": version})
        answer.raise_for_status()


def _waiting(product: Product) -> list[tuple[object, ...]]:
    return whole.rows(
        product,
        "SELECT c.id, c.version, p.external_id FROM moderation_case c"
        " JOIN moderation_post p ON p.id = c.post_id JOIN moderation_platform f ON f.id = p.platform_id"
        " WHERE c.state = 'open' AND f.slug = 'loop'",
    )
