"""The form that decides a campaign."""

from typing import Any

from django.test import Client

from moderation.models import Campaign
from tests.moderation.web.conftest import HTMX

HTMX_HEADERS = {name.lower(): value for name, value in HTMX.items()}


def form(waiting: int, verdict: str = "spam", **given: object) -> dict[str, object]:
    counts = {"expected_waiting": waiting, "expected_spam": 0, "expected_not_spam": 0}
    return {"verdict": verdict, **counts, **given}


def decide(desk: Client, campaign: Campaign, waiting: int, **given: Any) -> Any:
    return desk.post(f"/campaigns/{campaign.pk}/decide/", form(waiting, **given))
