"""What links lead to, on the page of a case and of a post and at the platform's API: said in words, inert."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Evidence, Platform, RevisionEvidence
from moderation.models.evidence import EvidenceKind, EvidenceRole, EvidenceState
from moderation.models.platforms import Scope
from moderation.operations.accounts import api_keys

FACTS = {
    "title": "<b>Your parcel</b>",
    "text": "Pay <script>alert(1)</script> at http://takes.example/now",
    "article": "Pay",
    "forms": [{"action_host": "takes.example", "posts_elsewhere": True, "asks_password": True}],
    "downloads": [{"url": "http://lands.example/a.apk", "name": "a.apk"}],
    "differs_for_browser": True,
    "differs_from_preview": True,
}


@pytest.fixture
def case(open_case: Callable[..., Case]) -> Case:
    """A case whose first link leads elsewhere, and whose second one could not be reached."""
    found = open_case(text="Look", links=["http://short.example/x", "http://gone.example/"])
    now = timezone.now()
    ended = {"kind": EvidenceKind.PAGE, "hour": now, "enqueued_at": now, "due_at": now, "fetched_at": now}
    rows = [
        Evidence.objects.create(
            url="http://short.example/x",
            url_digest="a",
            site="short.example",
            state=EvidenceState.FETCHED,
            chain=[
                {"url": "http://short.example/x", "status": 302},
                {"url": "http://www.lands.example/pay", "status": 200},
            ],
            final_host="www.lands.example",
            final_domain="lands.example",
            facts=FACTS,
            **ended,
        ),
        Evidence.objects.create(
            url="http://gone.example/",
            url_digest="b",
            site="gone.example",
            state=EvidenceState.UNREACHABLE,
            chain=[{"url": "http://gone.example/", "status": None}],
            **ended,
        ),
    ]
    for position, row in enumerate(rows):
        RevisionEvidence.objects.create(
            revision=found.score.revision, evidence=row, role=EvidenceRole.LINK, position=position
        )
    return found


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("address", ["/review/{case.pk}/", "/posts/{case.post_id}/"])
def test_pages_show_what_is_behind_links(address: str, language: str, case: Case, desk: Client) -> None:
    desk.cookies["django_language"] = language
    body = re.sub(r"\s+", " ", desk.get(address.format(case=case)).content.decode())

    said = {
        "en": [
            "Behind the links",
            "leads to www.lands.example",
            "asks for a password",
            "offers a file",
            "shows a browser something else",
            "not what its preview promises",
        ],
        "de": ["Hinter den Links", "führt zu www.lands.example", "fragt nach einem Passwort"],
    }
    assert [words for words in said[language] if words not in body] == []
    assert "could not be reached" in body or "nicht erreichbar" in body
    assert "&lt;b&gt;Your parcel&lt;/b&gt;" in body
    assert "<script>alert" not in body
    assert 'href="http://' not in body


def test_the_platform_reads_it(case: Case, platform: Platform) -> None:
    _, secret = api_keys.issue(
        platform=platform, name="reads", scopes=[Scope.VERDICTS_READ], expires_at=None, at=timezone.now()
    )

    answer = Client().get(f"/api/v1/posts/{case.post_id}", headers={"authorization": f"Bearer {secret}"})

    first, second = answer.json()["evidence"]
    assert (first["state"], first["final_domain"]) == ("fetched", "lands.example")
    assert first["title"] == FACTS["title"]
    assert first["forms"] == FACTS["forms"]
    assert (second["state"], second["chain"]) == (
        "unreachable",
        [{"url": "http://gone.example/", "status": None}],
    )
