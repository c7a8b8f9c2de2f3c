"""Every address of the desk with every role."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import URLPattern, reverse

from moderation.models import User
from moderation.web.urls import urlpatterns

EVERYONE = {"moderator", "lead", "ml_engineer", "admin"}
DECIDERS = {"moderator", "lead", "admin"}
LEADS = {"lead", "admin"}
EXPORTERS = {"lead", "ml_engineer", "admin"}
PUBLIC = {"sign-in", "sign-out"}
ALLOWED = {
    "home": EVERYONE,
    "account": EVERYONE,
    "comfort": EVERYONE,
    "account-keys": EVERYONE,
    "pace": DECIDERS,
    "health": EVERYONE,
    "queue": DECIDERS,
    "review": DECIDERS,
    "campaigns": DECIDERS,
    "campaign": DECIDERS,
    "campaign-decide": DECIDERS,
    "campaign-leave-out": DECIDERS,
    "campaign-undo": DECIDERS,
    "campaign-correct": DECIDERS,
    "review-next": DECIDERS,
    "review-ahead": DECIDERS,
    "review-beat": DECIDERS,
    "review-hand-back": DECIDERS,
    "review-token": DECIDERS,
    "case": DECIDERS,
    "case-text": DECIDERS,
    "case-claim": DECIDERS,
    "case-context": DECIDERS,
    "case-pause": DECIDERS,
    "case-decide": DECIDERS,
    "case-skip": DECIDERS,
    "case-escalate": DECIDERS,
    "decisions": DECIDERS,
    "decision-undo": DECIDERS,
    "decision-correct": DECIDERS,
    "posts": DECIDERS,
    "authors": DECIDERS,
    "author": DECIDERS,
    "domains": DECIDERS,
    "domain": DECIDERS,
    "address": DECIDERS,
    "filter-keep": EVERYONE,
    "filter-forget": EVERYONE,
    "bans": LEADS,
    "ban-new": LEADS,
    "ban-lift": LEADS,
    "exports": EXPORTERS,
    "export": EXPORTERS,
    "export-download": EXPORTERS,
}
ARGUMENTS = {
    "case_id": 1,
    "campaign_id": 1,
    "campaign_decision_id": 1,
    "decision_id": 1,
    "ban_id": 1,
    "export_id": 1,
    "name": "evil.example",
    "author_id": 1,
    "filter_id": 1,
    "address": "203.0.113.7",
}


GUARDED = [pattern for pattern in urlpatterns if pattern.name not in PUBLIC]


def address(pattern: URLPattern) -> str:
    """The pattern's address with arguments that fit."""
    given = {name: ARGUMENTS[name] for name in pattern.pattern.converters}
    return reverse(str(pattern.name), kwargs=given)


@pytest.mark.parametrize("pattern", GUARDED, ids=lambda pattern: pattern.name)
class TestDoors:
    @pytest.fixture(autouse=True)
    def _no_services(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("moderation.operations.probe.ask", lambda _: [])

    def test_let_in_exactly_the_roles_named(
        self, pattern: URLPattern, people: dict[str, User], desk_of: Callable[[User], Client]
    ) -> None:
        let_in = set()
        for role, person in people.items():
            desk = desk_of(person)
            answers = {desk.get(address(pattern)).status_code, desk.post(address(pattern)).status_code}
            assert not {500, 401} & answers
            if 403 not in answers:
                let_in.add(role)

        assert let_in == ALLOWED[str(pattern.name)]

    def test_send_strangers_to_the_sign_in_page(self, pattern: URLPattern, client: Client, db: None) -> None:
        answers = [client.get(address(pattern)), client.post(address(pattern))]

        for answer in answers:
            assert answer.status_code in {302, 405}
            if answer.status_code == 302:
                assert answer.headers["Location"].startswith("/sign-in/?next=")

    def test_tell_htmx_that_the_session_ended(self, pattern: URLPattern, client: Client, db: None) -> None:
        answer = client.post(address(pattern), headers={"HX-Request": "true"})

        assert answer.status_code in {401, 405}


def test_no_door_is_forgotten() -> None:
    assert {pattern.name for pattern in urlpatterns} == set(ALLOWED) | PUBLIC


class TestPolicy:
    def test_allows_nothing_inline_on_any_page(self, desk: Client) -> None:
        for page in ("/queue/", "/review/", "/decisions/", "/account/"):
            answer = desk.get(page)
            policy = answer.headers["Content-Security-Policy"]
            assert "unsafe" not in policy
            assert "default-src 'none'" in policy
            body = answer.content.decode()
            assert "style=" not in body
            assert "<style" not in body
            assert " onclick" not in body
            assert body.count("<script") == body.count('<script type="module" src=') + body.count(
                "<script src="
            )


class TestSignIn:
    def test_refuses_a_wrong_password_and_closes_after_five(self, client: Client, db: None) -> None:
        User.objects.create_user("moderator", password="right-and-long-enough")
        wrong = {"username": "moderator", "password": "guess"}

        answers = [client.post("/sign-in/", wrong) for _ in range(6)]

        assert answers[0].status_code == 200
        assert "correct username and password" in answers[0].content.decode()
        assert answers[-1].status_code == 429
        right = {"username": "moderator", "password": "right-and-long-enough"}
        assert client.post("/sign-in/", right).status_code == 429

    def test_never_redirects_elsewhere(self, client: Client, db: None) -> None:
        User.objects.create_user("moderator", password="right-and-long-enough")
        form = {"username": "moderator", "password": "right-and-long-enough", "next": "https://evil.example/"}

        assert client.post("/sign-in/", form).headers["Location"] == "/"
