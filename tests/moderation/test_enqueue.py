"""Messages for new posts are gathered where posts are taken in."""

import time
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from moderation import enqueue, tasks


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Return the list of what is sent; the first message breaks."""
    found: list[list[int]] = []

    def send(_task: str, *, kwargs: dict[str, Any], **_: object) -> None:
        found.append(kwargs["revision_ids"])
        if len(found) == 1:
            raise OSError("broken")

    monkeypatch.setattr(enqueue, "_send", send)
    monkeypatch.setattr(enqueue, "_wake", None)
    enqueue.scoring_begun()
    return found


@pytest.fixture
def publish(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Publish posts through a thread that ends then, as a web process does."""

    def publish(*revision_ids: int) -> None:
        monkeypatch.setattr(enqueue, "_is_stopping", Event())
        thread = enqueue.in_background()
        for revision_id in revision_ids:
            enqueue._publish([revision_id])
        enqueue.stop(thread)
        assert not thread.is_alive()

    return publish


def test_one_message_serves_posts_until_a_worker_takes_it(
    sent: list[list[int]], publish: Callable[..., None]
) -> None:
    publish(*range(1, 11))
    publish(11)  # the message before broke: another one goes
    publish(12)
    assert sent == [list(range(1, 11)), [11]]

    enqueue.scoring_begun()
    publish(13)

    assert sent[2:] == [[13]]


def test_goes_on_after_a_failure(sent: list[list[int]]) -> None:
    thread = enqueue.in_background()
    for count in (1, 2):
        enqueue._publish([count])
        for _ in range(1000):
            if len(sent) == count:
                break
            time.sleep(0.01)

    assert sent == [[1], [2]]
    assert thread.is_alive()


def test_one_message_serves_what_is_to_be_scored_again_within_a_second(
    db: None, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    sent = []
    monkeypatch.setattr(enqueue, "_send", lambda _, **message: sent.append(message))
    for ids in ([1], [2], [3, 4], [5]):
        if ids != [2]:
            tasks.score_revisions(revision_ids=[], is_again=True)
        with django_capture_on_commit_callbacks(execute=True):
            enqueue.scoring_again(revision_ids=ids)

    assert [one["kwargs"]["revision_ids"] for one in sent] == [[1], [3, 4], [5]]
    assert [one["options"]["countdown"] for one in sent] == [1, None, 1]
    assert [one["kwargs"]["is_again"] for one in sent] == [True, False, True]
