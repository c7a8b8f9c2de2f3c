"""Messages for scoring: one for posts that commit together, none forgotten."""

from __future__ import annotations

from typing import Any

import pytest

from moderation import enqueue


def test_what_commits_while_a_message_is_sent_goes_with_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[list[int]] = []

    def send(_task: str, *, kwargs: dict[str, Any], **_: object) -> None:
        sent.append(kwargs["revision_ids"])
        if len(sent) == 1:  # two other requests commit meanwhile, and neither waits for us
            enqueue._publish([2])
            enqueue._publish([3, 4])
            assert sent == [[1]]

    monkeypatch.setattr(enqueue, "_send", send)

    enqueue._publish([1])

    assert sent == [[1], [2, 3, 4]]


def test_a_broker_that_fails_keeps_nobody_from_sending_later(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[list[int]] = []

    def fail(*_: object, **__: object) -> None:
        raise OSError("broken")

    monkeypatch.setattr(enqueue, "_send", fail)
    with pytest.raises(OSError, match="broken"):
        enqueue._publish([1])
    monkeypatch.setattr(enqueue, "_send", lambda _task, **given: sent.append(given["kwargs"]["revision_ids"]))

    enqueue._publish([2])

    assert sent == [[2]]
