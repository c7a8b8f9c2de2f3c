"""A post in a script that the shipped release does not read, from the API to the desk and its label."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from rest_framework.test import APIClient

from moderation import scorer
from moderation.models import Case, Decision, Revision, Score, User
from moderation.operations.releases import replay
from moderation.operations.scoring import score
from scoring.pipeline import Scorer
from scoring.release import Release
from tests.moderation.api.conftest import LEAST
from tests.moderation.conftest import Later
from tests.moderation.fakes import FakeScorers
from tests.scoring.random_records import FakeContent
from tests.scoring.starter import STARTER

GEORGIAN = "უფასო კრედიტი ყველასთვის https://casino.example/free"


@pytest.fixture
def _shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Score with the shipped release; a text ends with what the content model says of it."""
    shipped = Scorer(release=Release.load(STARTER), content=FakeContent())
    stand_in = FakeScorers(scorer=shipped, content=FakeContent())
    monkeypatch.setattr(scorer, "current", lambda: stand_in)


@pytest.fixture
def sent(api: APIClient, _shipped: None, later: Later) -> Callable[..., str]:
    """Send a post of which the content model says this probability, and score it; return its id."""

    def send(text: str, *, content: float) -> str:
        answer = api.post("/api/v1/posts", LEAST | {"text": f"{text} {content}"})
        score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1))
        return str(answer.json()["id"])

    return send


@pytest.mark.parametrize("content", [0.001, 0.5, 0.999])
def test_waits_for_a_human_whatever_the_models_say(
    sent: Callable[..., str], api: APIClient, content: float
) -> None:
    post_id = sent(GEORGIAN, content=content)

    [stored] = api.get(f"/api/v1/posts/{post_id}").json()["scores"]
    [case] = api.get("/api/v1/cases?queue=unread_script").json()["data"]
    assert (stored["route"], stored["route_reason"]) == ("review", "unread_script")
    assert (case["reason"], case["post"]["id"]) == ("unread_script", post_id)
    assert not Decision.objects.exists()
    assert Case.objects.get().uncertainty == 0.5


def test_an_english_one_of_the_same_probability_does_not(sent: Callable[..., str], api: APIClient) -> None:
    sent("Win free credits now", content=0.999)

    assert api.get("/api/v1/cases?queue=unread_script").json()["data"] == []
    assert Decision.objects.exists() or Case.objects.get().reason == "audit"


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Sent to review: the models cannot read this script (Georgian)."),
        ("de", "Zur Prüfung: Die Modelle lesen diese Schrift nicht (Georgisch)."),
    ],
)
def test_the_page_says_why(sent: Callable[..., str], moderator: User, language: str, sentence: str) -> None:
    sent(GEORGIAN, content=0.5)
    case_id = Case.objects.get().pk
    desk = Client(headers={"accept-language": language})
    desk.force_login(moderator)

    body = desk.get(f"/review/{case_id}/").content.decode()
    listed = desk.get("/queue/?reason=unread_script").content.decode()

    assert sentence in body
    assert "Not yet measured" not in body
    assert "noch nicht gemessen" not in body
    assert f"/review/{case_id}/" in listed


def test_a_replay_gives_the_same_numbers(sent: Callable[..., str]) -> None:
    sent(GEORGIAN, content=0.25)

    [again] = replay.replay(Score.objects.all())

    assert again.is_equal
    assert not again.why
