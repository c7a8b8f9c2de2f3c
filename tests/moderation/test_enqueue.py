"""Messages for scoring: sent at once, or gathered where many commit."""

import time
from threading import Event
from typing import Any

import pytest

from moderation import enqueue


class TestInBackground:
    def test_sends_at_once_what_comes_alone_and_together_what_follows(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sent: list[list[int]] = []
        is_sent = Event()

        def send(_task: str, *, kwargs: dict[str, Any], **_: object) -> None:
            sent.append(kwargs["revision_ids"])
            is_sent.set()

        monkeypatch.setattr(enqueue, "_send", send)
        monkeypatch.setattr(enqueue, "_GATHER_SECONDS", 0.5)
        monkeypatch.setattr(enqueue, "_wake", None)
        enqueue.in_background()

        enqueue._publish([1])
        assert is_sent.wait(10)
        is_sent.clear()
        for revision_id in range(2, 12):
            enqueue._publish([revision_id])
        assert is_sent.wait(10)

        assert sent == [[1], list(range(2, 12))]

    def test_goes_on_after_a_failure(self, monkeypatch: pytest.MonkeyPatch) -> None:
        sent: list[list[int]] = []

        def send(_task: str, *, kwargs: dict[str, Any], **_: object) -> None:
            sent.append(kwargs["revision_ids"])
            if len(sent) == 1:
                raise OSError("broken")

        monkeypatch.setattr(enqueue, "_send", send)
        monkeypatch.setattr(enqueue, "_wake", None)
        enqueue.in_background()

        for count in (1, 2):
            enqueue._publish([count])
            _wait_until_sent(sent, count)

        assert sent == [[1], [2]]


def _wait_until_sent(sent: list[list[int]], count: int) -> None:
    for _ in range(1000):
        if len(sent) == count:
            return
        time.sleep(0.01)
