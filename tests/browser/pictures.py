"""How the pictures of the staged screens are taken: each of the whole page, in every size and theme."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from moderation.models import User

Open = Callable[..., Page]
Shoot = Callable[[Page, str], None]
SIZES = ((1280, 800), (1920, 1080), (390, 844))
PLACES = {
    "today": "/today/",
    "queue": "/queue/",
    "named-queues": "/queues/",
    "review": "/review/",
    "campaigns": "/campaigns/",
    "decisions": "/decisions/",
    "posts": "/posts/",
    "authors": "/authors/",
    "domains": "/domains/",
    "rules": "/rules/",
    "rule": "/rules/new/?kind=domain&value=nobody.example",
    "appeals": "/appeals/",
    "mentions": "/mentions/",
    "audit": "/audit/",
    "exports": "/exports/",
    "labels": "/labels/",
    "quality": "/quality/",
    "thresholds": "/thresholds/",
    "models": "/models/",
    "guidelines": "/guidelines/",
    "health": "/health/",
    "account": "/account/",
    "preferences": "/account/preferences/",
    "pace": "/account/pace/",
    "platforms": "/platforms/",
    "users": "/users/",
    "reasons": "/reasons/",
}


# Trial 18 once more, and what real names look like: right to left, marks on marks, none at all.
NAMES = (
    "محمد عبد الرحمن بن عبد الله الأنصاري",
    "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031ea\u0363\u034b\u035a\u0356l\u0368\u034a\u0346g\u0357\u0315\u0321o",
    "Wolfeschlegelsteinhausenbergerdorff" * 5,
    "\u202egro.knab-ruoy\u202c",
)
LONG_HOST = "a-very-long-name-that-goes-on.and-on." * 4 + "cheap-and-entirely-genuine-watches.example"
ARABIC = (
    "فرصة ذهبية! اربح آيفون جديد مجانا الآن، اضغط على الرابط https://pay.evil.example/ar ولا تنس المشاركة"
)


@pytest.fixture
def shoot() -> Shoot:
    """Keep what a page shows, by name, in every size and theme."""
    folder = Path(os.environ.get("SPAMDESK_PICTURES", "pictures"))
    folder.mkdir(parents=True, exist_ok=True)

    def take(page: Page, name: str) -> None:
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
                page.screenshot(path=folder / f"{name}-{scheme}-{width}.png", full_page=True)
        page.emulate_media(color_scheme="light")

    return take


def look(page: Page, shoot: Shoot, state: str, places: dict[str, str]) -> None:
    for name, address in places.items():
        page.goto(address)
        shoot(page, f"{state}-{name}")


def still(page_of: Open, user: User) -> Page:
    return page_of(user, reduced_motion="reduce")
