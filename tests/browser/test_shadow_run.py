"""The page of a shadow run, full and hostile: accessible, and no wider than a phone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page

from moderation.models import Case, ShadowRun, ShadowScore, User
from tests.browser.stage import MARKUP, violations
from tests.moderation.web.learning.test_shadow import figures

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Open = Callable[..., Page]


@pytest.fixture
def run(full_desk: Case, lead: User) -> ShadowRun:
    now = timezone.now()
    stored = figures(name=MARKUP[0][:16])
    better = {"dimension": "links", "name": "new", "mistake": "wrong", "outcome": "better", "value": -0.02}
    stored["differences"] += [
        stored["differences"][0] | better | {"low": -0.03, "high": -0.01},
        stored["differences"][0] | {"dimension": "all", "name": "", "outcome": "open", "labels": 4},
    ]
    made = ShadowRun.objects.create(
        candidate="c" * 64,
        live="d" * 64,
        share=0.5,
        started_by=lead,
        started_at=now - timedelta(hours=5),
        reached=0,
        figures=stored | {"until": now.isoformat()},
        failed=2,
        trouble=f"Corrupt: {MARKUP[0]} " + "W" * 200,
        trouble_at=now,
    )
    for number, case in enumerate(Case.objects.select_related("post").order_by("pk")):
        ShadowScore.objects.create(
            run=made,
            score=case.score,
            scored_at=now,
            spam_probability=0.95,
            route="remove",
            live_route="review",
            distance=1,
            gap=number / 100,
            platform=case.post.platform,
            links="none",
            case=case if number % 3 == 0 else None,
        )
    return made


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_is_accessible_and_fits_a_phone(page_of: Open, run: ShadowRun, lead: User, scheme: str) -> None:
    page = page_of(lead, scheme=scheme, reduced_motion="reduce")
    page.goto(f"/models/shadow/{run.pk}/")
    assert not violations(page)

    page.set_viewport_size({"width": 390, "height": 800})

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
