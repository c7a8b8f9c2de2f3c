"""Pictures of what links and pictures of posts lead to: `docs.screenshots --staged`.

Not tests: pytest collects this file only when it is named.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import transaction
from django.utils import timezone
from playwright.sync_api import Page
from pytest_django import Settings

from moderation.models import Case, Evidence, Platform, Score, User
from moderation.models.evidence import EvidenceKind, EvidenceRole, EvidenceState
from moderation.operations.similarity import picture_groups
from tests.browser.pictures import ARABIC, LONG_HOST, Open, Shoot, still
from tests.browser.review.review_page import Case_
from tests.browser.stage import MARKUP
from tests.moderation.carried_pictures import carry, carry_picture, facts
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.campaigns.campaign_posts import opened

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


def test_said(page_of: Open, open_case: Case_, lead: User, shoot: Shoot) -> None:
    cues = [
        [number * 4_000, number * 4_000 + 3_500, f"Sentence {number} of what is said in it"]
        for number in range(60)
    ]
    hostile = [
        [number * 61_000, number * 61_000 + 900, said] for number, said in enumerate((*MARKUP[:4], ARABIC))
    ]
    case = open_case(
        text="Watch this",
        transcripts=(
            {"language": "en", "source": "author", "cues": cues, "is_cut": True},
            {
                "language": "ar",
                "source": MARKUP[0],
                "cues": [*hostile, [9_000_000, 9_000_900, "W" * 900]],
                "is_cut": False,
            },
            {"language": "", "source": "", "cues": [[0, 900, "hello"]], "is_cut": False},
        ),
    )
    for number, words in enumerate(
        (["you have won", "write to me now"], [*MARKUP[:3], ARABIC, "W" * 500], [])
    ):
        heard = [
            {"start_ms": at * 9_000, "end_ms": at * 9_000 + 800, "text": word}
            for at, word in enumerate(words)
        ]
        carry(
            case, f"http://videos.example/{number}.webm", kind=EvidenceKind.PAGE, site="videos.example",
            final_host="videos.example", final_domain="videos.example",
            facts={
                "source": "vosk: vosk-model-small-en-us-0.15", "seconds": 60.0, "cues": heard,
                "text": "\n".join(words), "is_cut": not number,
            },
        )  # fmt: skip
    shown(still(page_of, lead), case, shoot, "said")


def test_reasons(page_of: Open, open_case: Case_, lead: User, shoot: Shoot) -> None:
    case = open_case(text="Look what I found today http://short.example/x")
    page_facts = {
        "title": "Sign in to your bank",
        "text": "Enter your password to keep your account.",
        "forms": [{"action_host": "takes.example", "posts_elsewhere": True, "asks_password": True}],
        "downloads": [{"url": "http://lands.example/a.apk", "name": "a.apk"}],
        "differs_for_browser": True,
        "differs_from_preview": True,
    }
    carry(
        case, "http://short.example/x", role=EvidenceRole.LINK, kind=EvidenceKind.PAGE, site="short.example",
        final_host="lands.example", final_domain="lands.example", facts=page_facts,
    )  # fmt: skip
    carry_picture(case, text="YOUR PARCEL\nPay 1.99 now")
    page = {"title": "Sign in", "asks_password": True}
    Score.objects.filter(pk=case.score_id).update(
        sub_models=case.score.sub_models | {"evidence": 0.97},
        contributions=[
            ["content.page_probability", 0.97, 3.2],
            ["content.picture_probability", 0.9, 1.2],
            ["content.transcript_probability", 0.8, 1.1],
            ["context.page_password_sent_elsewhere", 1.0, 0.8],
            ["context.page_cloaked", 1.0, 0.7],
            ["context.link_hops", 2.0, 0.2],
        ],
        record=case.score.record | {"evidence": [{"role": "link", "state": "fetched", "page": page}]},
    )
    shown(still(page_of, lead), case, shoot, "reasons")


def test_campaign(
    page_of: Open, platform: Platform, fake_scorer: FakeScorer, lead: User, shoot: Shoot
) -> None:
    at = timezone.now() - timedelta(hours=1)
    pills = opened(platform, 12, at=at, links=("https://pills.example/buy",), ip="203.0.113.9")
    cases = list(Case.objects.filter(post__membership__campaign=pills).order_by("pk"))
    for copy in range(6):
        with transaction.atomic():
            for number, case in enumerate(cases[: 2 + copy]):
                row = carry_picture(
                    case, f"http://{LONG_HOST}/{copy}/{number}.png", text=f"OFFER {copy} " * 9
                )
                known = {"pdq": f"{17 + copy * 16:x}" * 32, "pdq_quality": 100}
                group = picture_groups.of(known, at=timezone.now())
                Evidence.objects.filter(pk=row.pk).update(picture_group=group)
            picture_groups.join([case.score.revision_id for case in cases])
    page = still(page_of, lead)
    for address, where in (("/campaigns/", "list"), (f"/campaigns/{pills.pk}/", "page")):
        page.goto(address)
        page.wait_for_load_state("networkidle")
        shoot(page, f"evidence-campaign-{where}")
        for box in page.locator("[data-shows-pictures]").all():
            box.check(force=True)
        shoot(page, f"evidence-campaign-{where}-shown")
