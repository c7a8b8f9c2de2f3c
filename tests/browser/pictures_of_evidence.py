"""Pictures of what links and pictures of posts lead to: `docs.screenshots --staged`.

Not tests: pytest collects this file only when it is named.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page
from pytest_django import Settings

from moderation.models import Case, User
from moderation.models.evidence import EvidenceKind, EvidenceRole, EvidenceState
from tests.browser.pictures import ARABIC, LONG_HOST, Open, Shoot, still
from tests.browser.review.review_page import Case_
from tests.browser.stage import MARKUP
from tests.moderation.carried_pictures import carry, carry_picture, facts

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(400)]


@pytest.fixture(autouse=True)
def _store(settings: Settings, tmp_path: Path) -> None:
    settings.EVIDENCE_DIR = tmp_path / "evidence"


def shown(page: Page, case: Case, shoot: Shoot, name: str) -> None:
    for keys, what in (("", "blurred"), ("bv", "shown")):
        for address, where in ((f"/review/{case.pk}/", "case"), (f"/posts/{case.post_id}/", "post")):
            page.goto(address)
            for key in keys:
                page.keyboard.press(key)
            page.evaluate("document.querySelectorAll('.opened').forEach((one) => (one.open = true))")
            page.wait_for_load_state("networkidle")
            shoot(page, f"evidence-{name}-{what}-{where}")


def test_ordinary(page_of: Open, open_case: Case_, lead: User, shoot: Shoot) -> None:
    code = "http://takes.example/now?parcel=1"
    case = open_case(
        text="Your parcel waits http://short.example/x",
        media_urls=("http://pictures.example/a.png", "ipfs://never-opened"),
    )
    page_facts = {
        "title": "Your parcel is held",
        "text": "Pay the fee of 1.99 at http://takes.example/now or the parcel goes back.\n\nTrack 114-99",
        "forms": [{"action_host": "takes.example", "posts_elsewhere": True, "asks_password": True}],
        "downloads": [],
    }
    chain = [
        {"url": "http://short.example/x", "status": 302},
        {"url": "http://lands.example/pay", "status": 200},
    ]
    carry(
        case, "http://short.example/x", role=EvidenceRole.LINK, kind=EvidenceKind.PAGE, chain=chain,
        site="short.example", final_host="lands.example", final_domain="lands.example", facts=page_facts,
    )  # fmt: skip
    carry_picture(
        case,
        text="YOUR PARCEL\nPay 1.99 now",
        codes=[{"format": "QRCode", "text": code}],
        image_spam_probability=0.83,
    )
    carry(case, code, role=EvidenceRole.CODE, kind=EvidenceKind.PAGE, final_host="lands.example", chain=chain)
    carry_picture(case, "http://lands.example/preview.png", text_engine="")
    carry(case, "http://pictures.example/huge.png", state=EvidenceState.TOO_LARGE, facts=None)
    shown(still(page_of, lead), case, shoot, "ordinary")


def test_hostile(page_of: Open, open_case: Case_, lead: User, shoot: Shoot) -> None:
    case = open_case(text=ARABIC)
    for number, payload in enumerate((*MARKUP[:3], ARABIC, "Z\u0351\u036b\u0343" * 200)):
        carry_picture(
            case,
            f"http://{LONG_HOST}/{number}?{payload}"[:900],
            text=payload * 30,
            codes=[{"format": payload[:30], "text": f"http://{LONG_HOST}/{payload}"}] * 3,
        )
    carry(
        case, f"http://{LONG_HOST}/page", role=EvidenceRole.LINK, kind=EvidenceKind.PAGE, site="x.example",
        chain=[{"url": f"http://{LONG_HOST}/{hop}", "status": 302} for hop in range(6)],
        final_host=LONG_HOST[:200], final_domain="watches.example",
        facts={"title": MARKUP[0] * 4, "text": (ARABIC + "\n" + "W" * 400 + "\n") * 8},
    )  # fmt: skip
    carry(case, "http://pictures.example/w.png", facts=facts(is_animated=True, text="wide " * 300))
    shown(still(page_of, lead), case, shoot, "hostile")
