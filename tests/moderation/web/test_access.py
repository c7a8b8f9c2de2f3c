"""Every address of the desk with every role."""

from __future__ import annotations

import re
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
ADMINS = {"admin"}
READERS = EVERYONE
PUBLIC = {"sign-in", "sign-in-device", "sign-out", "set-language"}
ALLOWED = {
    "home": EVERYONE,
    "account": EVERYONE,
    "account-password": EVERYONE,
    "session-end": EVERYONE,
    "sessions-end-others": EVERYONE,
    "preferences": EVERYONE,
    "shortcuts": EVERYONE,
    "pace": DECIDERS,
    "guidelines": DECIDERS,
    "health": EVERYONE,
    "try-out": EVERYONE,
    "quality": EXPORTERS,
    "quality-csv": EXPORTERS,
    "drift": EXPORTERS,
    "drift-acknowledge": LEADS,
    "today": LEADS,
    "today-csv": LEADS,
    "appeals": LEADS,
    "second-reviews": LEADS,
    "disagreement-settle": LEADS,
    "blind-review-plan": LEADS,
    "blind-review-undo": DECIDERS,
    "golden-items": LEADS,
    "golden-item-mark": LEADS,
    "golden-item-confirm": LEADS,
    "golden-item-retire": LEADS,
    "audit": LEADS,
    "queue": DECIDERS,
    "bulk-decide": DECIDERS,
    "bulk": DECIDERS,
    "bulk-undo": DECIDERS,
    "named-queues": LEADS,
    "named-queue": LEADS,
    "named-queue-delete": LEADS,
    "named-queue-assign": LEADS,
    "named-queue-withdraw": LEADS,
    "queue-mix": LEADS,
    "user-languages": LEADS,
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
    "case": READERS,
    "case-text": READERS,
    "case-claim": DECIDERS,
    "case-context": DECIDERS,
    "case-counted": READERS,
    "case-note": DECIDERS,
    "case-second": DECIDERS,
    "case-around": DECIDERS,
    "case-now": READERS,
    "case-beside": DECIDERS,
    "case-beside-rule": DECIDERS,
    "case-author-note": DECIDERS,
    "case-pause": DECIDERS,
    "case-decide": DECIDERS,
    "case-skip": DECIDERS,
    "case-escalate": DECIDERS,
    "decisions": READERS,
    "decisions-csv": READERS,
    "decision-undo": DECIDERS,
    "decision-correct": DECIDERS,
    "posts": READERS,
    "post": READERS,
    "post-text": READERS,
    "post-picture": READERS,
    "post-translation": DECIDERS,
    "mentions": DECIDERS,
    "mention-count": DECIDERS,
    "mention-done": DECIDERS,
    "mention-names": DECIDERS,
    "authors": READERS,
    "author": READERS,
    "domains": READERS,
    "domain": READERS,
    "address": DECIDERS,
    "filter-keep": EVERYONE,
    "filter-forget": EVERYONE,
    "platforms": ADMINS,
    "platform": ADMINS,
    "platform-evidence": ADMINS,
    "platform-removal": ADMINS,
    "endpoint-add": ADMINS,
    "endpoint-secret": ADMINS,
    "endpoint-remove": ADMINS,
    "endpoint-test": ADMINS,
    "deliveries": ADMINS,
    "delivery-again": ADMINS,
    "key-issue": ADMINS,
    "key-revoke": ADMINS,
    "users": ADMINS,
    "user": ADMINS,
    "user-addresses": ADMINS,
    "user-switch": ADMINS,
    "user-reset": ADMINS,
    "user-sessions-end": ADMINS,
    "reasons": ADMINS,
    "reason": ADMINS,
    "policies": READERS,
    "policy": READERS,
    "policy-new": LEADS,
    "policy-try": LEADS,
    "policy-activate": LEADS,
    "policy-end": LEADS,
    "rules": LEADS,
    "rule-draft": LEADS,
    "rule-new": LEADS,
    "rule-lift": LEADS,
    "labels": EXPORTERS,
    "label-draw": EXPORTERS,
    "label-draw-cancel": EXPORTERS,
    "label-settings": LEADS,
    "exports": EXPORTERS,
    "thresholds": EXPORTERS,
    "thresholds-propose": EXPORTERS,
    "proposal-confirm": EXPORTERS,
    "proposal-refuse": EXPORTERS,
    "proposal-state": EXPORTERS,
    "export": EXPORTERS,
    "export-download": EXPORTERS,
    "models": EXPORTERS,
    "feature-search": EXPORTERS,
    "model-errors": EXPORTERS,
    "model-errors-csv": EXPORTERS,
    "roll-back": EXPORTERS,
    "shadow-run": EXPORTERS,
    "shadow-start": EXPORTERS,
    "shadow-stop": EXPORTERS,
    "shadow-draw": EXPORTERS,
    "training-start": EXPORTERS,
    "training-run": EXPORTERS,
    "training-cancel": EXPORTERS,
    "candidate-propose": EXPORTERS,
}
ARGUMENTS = {
    "alarm_id": 1,
    "digest": "0" * 64,
    "case_id": 1,
    "proposal_id": 1,
    "mention_id": 1,
    "review_id": 1,
    "item_id": 1,
    "queue_id": 1,
    "key": "00000000-0000-4000-8000-000000000001",
    "kind": "author",
    "campaign_id": 1,
    "public_id": "00000000-0000-4000-8000-000000000001",
    "campaign_decision_id": 1,
    "decision_id": 1,
    "rule_id": 1,
    "policy_id": 1,
    "export_id": 1,
    "run_id": 1,
    "draw_id": 1,
    "post_id": 1,
    "number": 1,
    "name": "evil.example",
    "token": "used",
    "author_id": 1,
    "filter_id": 1,
    "platform_id": 1,
    "endpoint_id": 1,
    "delivery_id": "00000000-0000-4000-8000-000000000001",
    "key_id": 1,
    "table": "figures",
    "user_id": 999,
    "reason_id": 1,
    "address": "203.0.113.7",
}


# A style, a handler, or a script that is not a file of ours.
INLINE = re.compile(
    r"\sstyle=|<style|\son[a-z]+=|<script(?![^>]*\ssrc=[\"']?/static/)|javascript:", re.IGNORECASE
)
GUARDED = [pattern for pattern in urlpatterns if pattern.name not in PUBLIC]


def address(pattern: URLPattern) -> str:
    """The pattern's address with arguments that fit."""
    given = {name: ARGUMENTS[name] for name in pattern.pattern.converters}
    return reverse(str(pattern.name), kwargs=given)


@pytest.mark.parametrize("pattern", GUARDED, ids=lambda pattern: pattern.name)
class TestGuards:
    @pytest.fixture(autouse=True)
    def _no_services(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("moderation.operations.infrastructure.probe.ask", lambda _: [])

    @pytest.mark.drawn(24)
    def test_let_in_exactly_the_roles_named(
        self, pattern: URLPattern, people: dict[str, User], desk_of: Callable[[User], Client]
    ) -> None:
        let_in = set()
        for role, person in people.items():
            desk = desk_of(person)
            answers = [desk.get(address(pattern)), desk.post(address(pattern))]
            assert {answer.headers["Cache-Control"] for answer in answers} == {"private, no-store"}
            codes = {answer.status_code for answer in answers}
            assert not {500, 401} & codes
            if 403 not in codes:
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


def test_no_view_is_forgotten() -> None:
    assert {pattern.name for pattern in urlpatterns} == set(ALLOWED) | PUBLIC


class TestPolicy:
    @pytest.fixture(autouse=True)
    def _no_services(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("moderation.operations.infrastructure.probe.ask", lambda _: [])

    @pytest.mark.drawn(24)
    @pytest.mark.parametrize("pattern", urlpatterns, ids=lambda pattern: pattern.name)
    def test_allows_nothing_inline_on_any_page(
        self, pattern: URLPattern, people: dict[str, User], desk_of: Callable[[User], Client]
    ) -> None:
        answer = desk_of(people["admin"]).get(address(pattern), follow=True)

        policy = answer.headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        body = answer.getvalue().decode()
        assert not INLINE.search(body)

    @pytest.mark.parametrize("address", ["/sign-in/", "/nowhere/", "/api/v1/docs", "/problems/not-found"])
    def test_holds_for_strangers_too(self, client: Client, db: None, address: str) -> None:
        answer = client.get(address, follow=True)

        assert "unsafe" not in answer.headers["Content-Security-Policy"]
        assert not INLINE.search(answer.content.decode())
