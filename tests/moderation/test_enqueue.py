"""Messages for scoring are gathered where posts are taken in."""

import time
from typing import Any

import pytest

from moderation import enqueue


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Start the background thread; return the list of what it sends. Its first message breaks."""
    found: list[list[int]] = []

    def send(_task: str, *, kwargs: dict[str, Any], **_: object) -> None:
        found.append(kwargs["revision_ids"])
        if len(found) == 1:
            raise OSError("broken")

    monkeypatch.setattr(enqueue, "_send", send)
    monkeypatch.setattr(enqueue, "_wake", None)
    enqueue.scoring_begun()
    enqueue.in_background()
    return found


def test_one_message_serves_posts_until_a_worker_takes_it(sent: list[list[int]]) -> None:
    for revision_id in range(1, 11):
        enqueue._publish([revision_id])
    _wait_until_sent(sent, 1)
    enqueue._publish([11])  # the message before broke: another one goes
    _wait_until_sent(sent, 2)
    enqueue._publish([12])
    time.sleep(2 * enqueue._GATHER_SECONDS)
    assert sent == [list(range(1, 11)), [11]]

    enqueue.scoring_begun()
    enqueue._publish([13])
    _wait_until_sent(sent, 3)

    assert sent[2] == [13]


def _wait_until_sent(sent: list[list[int]], count: int) -> None:
    for _ in range(1000):
        if len(sent) == count:
            return
        time.sleep(0.01)
    pytest.fail(f"only {sent} were sent")
