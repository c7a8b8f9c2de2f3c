"""Messages for new posts are gathered where posts are taken in."""

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from moderation import enqueue, tasks
from tests.django_fixtures import wait_until


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
    enqueue._publish([1])
    wait_until(lambda: len(sent) == 1)
    enqueue._publish([2])
    wait_until(lambda: len(sent) == 2)

    assert sent == [[1], [2]]
    assert thread.is_alive()


def test_one_message_serves_what_is_to_be_scored_again_within_a_second(
    db: None, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    sent = []
    monkeypatch.setattr(enqueue, "_send", lambda _, *, options, kwargs: sent.append(options | kwargs))
    for ids in ([1], [2], [3, 4], [5]):
        if ids != [2]:
            tasks.score_revisions(revision_ids=[], is_again=True)
        with django_capture_on_commit_callbacks(execute=True):
            enqueue.scoring_again(revision_ids=ids)

    told = [(one["revision_ids"], one["is_again"], one["countdown"]) for one in sent]
    assert told == [([1], True, 1), ([3, 4], False, None), ([5], True, 1)]
