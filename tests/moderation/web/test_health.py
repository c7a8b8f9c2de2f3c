"""The Health page for users."""

import pytest
from django.test import Client

from moderation.operations.infrastructure import probe
from moderation.operations.infrastructure.probe import Answer, Part


class TestHealth:
    def test_names_what_is_down_and_still_answers(
        self, desk: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse() -> tuple[str, ...]:
            raise ConnectionError

        # Asked for real, the others may need more than the two seconds of a probe beside other tests.
        for part in Part:
            monkeypatch.setitem(probe._ASKED, part, refuse if part == Part.TRITON else tuple)

        body = desk.get("/health/").content.decode()

        assert body.count("service--down") == 2  # and the workers
        assert "not seen for a minute: scoring, housekeeping, webhooks" in body
        assert "posts are scored without their text" in body
        assert "Cases in the queue" in body

    def test_tells_in_the_readers_language_what_answers(
        self, desk: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answers = [
            Answer(part=Part.DATABASE, is_up=True, latency_ms=1471.2),
            Answer(part=Part.BROKER, is_up=False, is_overdue=True),
            Answer(part=Part.TRITON, is_up=False),
        ]
        monkeypatch.setattr(probe, "ask", lambda _parts: answers)
        desk.cookies["django_language"] = "de"

        body = desk.get("/health/").content.decode()

        for told in ("antwortet in 1.471 ms", "keine Antwort in 2 s"):
            assert told in body
        assert "antwortet nicht" in body
