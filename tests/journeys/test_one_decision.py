"""Trial 1: fifty requests decide one case at once, in different ways; one wins, the others hear who."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from moderation.models import AuditEntry, Case, Decision, Delivery, Label, User
from moderation.operations.cases import claims

pytestmark = pytest.mark.django_db(transaction=True)


def browser(user: User, origin: str) -> tuple[httpx.Client, dict[str, str]]:
    """A signed-in connection and the headers that the page's script sends."""
    signed_in = Client()
    signed_in.force_login(user)
    desk = httpx.Client(
        base_url=origin,
        cookies={"sessionid": signed_in.cookies["sessionid"].value},
        trust_env=False,
        timeout=60,
    )
    token = desk.get("/review/token/").text
    return desk, {"Review-Page": "1", "HX-Request": "true", "X-CSRFToken": token}


def test_fifty_deciders_have_one_winner(
    live_server: LiveServer,
    open_case: Callable[..., Case],
    moderator: User,
    other_moderator: User,
) -> None:
    case = claims.claim(case_id=open_case().pk, moderator=moderator, at=timezone.now())
    desks = [browser(moderator, live_server.url), browser(other_moderator, live_server.url)]

    def attempt(number: int) -> httpx.Response:
        desk, headers = desks[number % 5 == 4]
        form = {
            "verdict": ("spam", "not_spam")[number % 2],
            "case_version": case.version,
            "idempotency_key": str(uuid.uuid4()),
        }
        return desk.post(f"/review/{case.pk}/decide/", data=form, headers=headers)

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(attempt, range(50)))
    for desk, _ in desks:
        desk.close()

    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: 49}
    decision = Decision.objects.get()
    refused = [answer.text for answer in answers if answer.status_code == 409]
    unnamed = [
        text for text in refused if not re.search(r"moderator (already decided|took|is reviewing)", text)
    ]
    assert unnamed == []
    assert AuditEntry.objects.filter(subject_kind="decision", subject_id=str(decision.pk)).count() == 1
    assert (Delivery.objects.count(), Label.objects.count()) == (1, 1)
