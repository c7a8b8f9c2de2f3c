"""Reviewers who claim and decide through the API, and ask again until they are answered. After `connect`."""

import threading
from typing import Any

import httpx
from django.db import connection
from django.utils import timezone

from lab import _answers, _stack
from moderation.models import ApiKey, Platform, User
from moderation.models.platforms import Scope
from moderation.models.users import Role
from moderation.operations.accounts import api_keys, demo

_PAUSE_SECONDS = 0.5


def hire(count: int) -> list[tuple[ApiKey, str]]:
    """Make accounts that nobody can sign in to, and a key for each; return the keys with their secrets."""
    at = timezone.now()
    platform = Platform.objects.get(slug=demo.PLATFORM_SLUG)
    people = [
        User.objects.get_or_create(username=f"soak-{number}", defaults={"role": Role.MODERATOR})[0]
        for number in range(1, count + 1)
    ]
    keys = [
        api_keys.issue(
            platform=platform,
            name="soak",
            scopes=[Scope.CASES_READ, Scope.DECISIONS_WRITE],
            expires_at=None,
            acts_as=person,
            at=at,
        )
        for person in people
    ]
    connection.close()  # it would die with the database that is killed
    return keys


def dismiss(issued: list[tuple[ApiKey, str]]) -> None:
    """Revoke the keys."""
    for key, _ in issued:
        api_keys.revoke(key_id=key.pk, actor=None, at=timezone.now())


class Reviewer(threading.Thread):
    """Claims the next case, decides it and waits, until stopped."""

    def __init__(self, *, secret: str, pause_seconds: float, is_over: threading.Event) -> None:
        super().__init__(daemon=True)
        self.acknowledged: list[int] = []
        self._pause_seconds, self._is_over = pause_seconds, is_over
        self._desk = httpx.Client(
            base_url=f"{_stack.web_url()}/api/v1",
            headers={"Authorization": f"Bearer {secret}"},
            trust_env=False,
            timeout=30,
        )

    def run(self) -> None:
        with self._desk:
            while not self._is_over.is_set():
                self._review()
                self._is_over.wait(self._pause_seconds)

    def _review(self) -> None:
        answer = self._ask("/queues/all/claims", {"count": 1})
        cases = answer.json().get("cases", []) if answer.status_code == httpx.codes.OK else []
        if not cases:
            return
        case = cases[0]
        is_spam = (case["spam_probability"] or 0.0) >= 0.5
        decision = {"verdict": "spam" if is_spam else "not_spam", "version": case["version"]}
        answer = self._ask(f"/cases/{case['id']}/decisions", decision)
        # Else it was edited, withdrawn or scored again meanwhile: said by name, and nothing was decided.
        if answer.status_code == httpx.codes.CREATED:
            self.acknowledged.append(int(answer.json()["id"]))

    def _ask(self, path: str, body: dict[str, Any]) -> httpx.Response:
        return _answers.final(self._desk, path, body, pause_seconds=_PAUSE_SECONDS)
