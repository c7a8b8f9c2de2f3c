"""Enqueue tasks by name after commit. Imports no task, so operations never depend on them.

A lost message does no harm: the rows hold the open work, and the sweep enqueues it again.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import lru_cache, partial
from typing import Any

import redis
import structlog
from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

log = structlog.get_logger(__name__)

SCORING_CHUNK = 64
"""Posts per task: large enough to fill a Triton batch, small enough to finish well within the lease."""
EXPLANATION_EXPIRES_SECONDS = 30
_LATEST_TURN_SECONDS = 30
_TURN_EXPECTED_SECONDS = 15
"""After this time an untaken message for an endpoint counts as lost, and another one is sent."""

_PAUSE_SECONDS, _GATHER_SECONDS = 0.05, 0.2
"""How long a post waits for others before and after the broker is asked: alone, each costs far more."""
_AGAIN_SECONDS = 1
"""The same for a post to be scored again: its evidence comes piece by piece. By the sender's clock."""
_SCORING_MARK, _AGAIN_MARK, _SCORING_EXPECTED_SECONDS = "spamdesk:scoring", "spamdesk:scoring-again", 2
_STOP_SECONDS = 2.0

# More than this wait only during an outage of the broker; the sweep finds the rest.
_committed: deque[tuple[int, str]] = deque(maxlen=50_000)
_wake: threading.Event | None = None
_is_stopping = threading.Event()
_MOST_REQUESTS = 8
"""Maximum number of request ids in a message that holds posts of several requests."""


def in_background() -> threading.Thread:
    """Let a thread of this process gather the messages for new posts: the web answers without waiting."""
    global _wake  # noqa: PLW0603 - one publisher for each process
    _wake = threading.Event()
    thread = threading.Thread(target=_keep_publishing, args=(_wake,), name="enqueue", daemon=True)
    thread.start()
    return thread


def stop(thread: threading.Thread) -> None:
    """Let the thread send what it has gathered, and end."""
    _is_stopping.set()
    if _wake:
        _wake.set()
    thread.join(_STOP_SECONDS)


def scoring(*, revision_ids: Sequence[int]) -> None:
    """Score these revisions once the transaction has committed."""
    if revision_ids:
        named = [(revision_id, request_id()) for revision_id in revision_ids]
        transaction.on_commit(partial(_send_scoring, named))


def scoring_again(*, revision_ids: Sequence[int]) -> None:
    """Score these revisions once the transaction has committed; one alone with others of the next second."""

    def send() -> None:
        if _is_first(_AGAIN_MARK, seconds=_AGAIN_SECONDS + _SCORING_EXPECTED_SECONDS):
            _send_scoring([(revision_ids[0], request_id())], is_again=True)

    if len(revision_ids) == 1:
        transaction.on_commit(send)
    else:
        scoring(revision_ids=revision_ids)


def first_scoring(*, revision_ids: Sequence[int]) -> None:
    """Score new revisions once the transaction has committed, with others that come in a moment."""
    if revision_ids:
        transaction.on_commit(partial(_publish, tuple(revision_ids), request_id=request_id()))


def messages() -> dict[str, int]:
    """Return the number of waiting messages by queue; empty if the broker cannot be reached."""
    try:
        with _store().pipeline(transaction=False) as pipeline:
            queues = [queue for own in settings.WORKERS.values() for queue in own]
            for queue in queues:
                pipeline.llen(queue)
            return dict(zip(queues, pipeline.execute(), strict=True))
    except redis.RedisError:
        return {}


def scoring_of_rest(*, revision_id: int) -> None:
    """Enqueue what waits beyond a batch, unless a message is on its way: whoever takes it takes this, too."""

    def send() -> None:
        if _is_first(_SCORING_MARK, seconds=_SCORING_EXPECTED_SECONDS):
            _send_scoring([(revision_id, request_id())])

    transaction.on_commit(send)


def scoring_begun(*, is_again: bool = False) -> None:
    """Mark the message for scoring as taken: posts that come from now on need another one."""
    with suppress(redis.RedisError):  # the mark expires by itself
        _store().delete(_AGAIN_MARK if is_again else _SCORING_MARK)


def explanation(*, score_id: int) -> None:
    """Enqueue the word explanation of a score that a human is about to see; the message expires."""
    _after_commit(
        "moderation.tasks.explain_score",
        queue="explanations",
        expires_seconds=EXPLANATION_EXPIRES_SECONDS,
        score_id=score_id,
    )


def reputation(*, revision_ids: Sequence[int]) -> None:
    """Enqueue reputation queries about the links of these revisions."""
    if revision_ids:
        _after_commit("moderation.tasks.ask_reputation", queue="reputation", revision_ids=list(revision_ids))


def evidence_of(*, revision_ids: Sequence[int]) -> None:
    """Enqueue writing down which addresses these revisions carry."""
    if revision_ids:
        _after_commit("moderation.tasks.open_evidence", queue="evidence", revision_ids=list(revision_ids))


def evidence(*, evidence_ids: Sequence[int]) -> None:
    """Enqueue fetching each of these addresses, one message for each: they take seconds."""
    for evidence_id in evidence_ids:
        _after_commit("moderation.tasks.fetch_evidence", queue="evidence", evidence_id=evidence_id)


def deliveries(*, endpoint_id: int, due_at: datetime | None = None) -> None:
    """Enqueue a turn for an endpoint, now or soon after `due_at`: one message for any number of deliveries.

    Deliveries due much later are left to the sweep: the broker redelivers messages with a long ETA.
    """
    due = math.ceil(due_at.timestamp()) if due_at else 0
    transaction.on_commit(partial(_send_turn, endpoint_id, due=due, request_id=request_id()))


def deliveries_begun(*, endpoint_id: int) -> None:
    """Mark the message for an endpoint as taken: later deliveries need another one."""
    with suppress(redis.RedisError):  # the mark expires by itself
        _store().delete(f"spamdesk:turn:{endpoint_id}:0")


def campaign(*, campaign_decision_id: int, countdown_seconds: float = 0) -> None:
    """Enqueue a decision on a large campaign, after the time for undoing."""
    _after_commit(
        "moderation.tasks.settle_campaign",
        queue="campaigns",
        countdown=countdown_seconds,
        campaign_decision_id=campaign_decision_id,
    )


def export(*, export_id: int) -> None:
    """Build a requested export."""
    _after_commit("moderation.tasks.build_export", queue="exports", export_id=export_id)


def training(*, run_id: int) -> None:
    """Carry out a training run."""
    _after_commit("moderation.tasks.train_release", queue="learning", run_id=run_id)


def notifications(*, user_id: int, channel: str, countdown_seconds: int = 0) -> None:
    """Enqueue telling a person what waits on a channel: one message for any number of notifications."""
    transaction.on_commit(partial(_send_notifications, user_id, channel, countdown_seconds))


def _publish(revision_ids: Sequence[int], *, request_id: str = "") -> None:
    """Send messages for committed work, or hand them to the background thread."""
    named = [(revision_id, request_id) for revision_id in revision_ids]
    if _wake is None:
        _send_scoring(named)
    else:
        _committed.extend(named)
        _wake.set()


def _keep_publishing(wake: threading.Event) -> None:
    """Send messages for new posts, in a loop: one for those that come in a moment.

    While one is on its way, from whichever process, others need none: its worker takes along new posts.
    """
    while not _is_stopping.is_set():
        wake.wait()
        _is_stopping.wait(_PAUSE_SECONDS)
        wake.clear()
        try:
            # Taken before the mark is looked at: what is committed after that may come too late.
            gathered = _taken()
            if gathered and _is_first(_SCORING_MARK, seconds=_SCORING_EXPECTED_SECONDS):
                if len(gathered) < SCORING_CHUNK:
                    _is_stopping.wait(_GATHER_SECONDS)
                _send_scoring(gathered + _taken())
        except Exception:
            log.exception("enqueue_failed")  # the sweep finds what was not sent
            scoring_begun()


def _taken() -> list[tuple[int, str]]:
    return [_committed.popleft() for _ in range(len(_committed))]


def _send_scoring(named: Sequence[tuple[int, str]], *, is_again: bool = False) -> None:
    """Send revisions, each with the id of its request."""
    options = {"queue": "scoring", "countdown": _AGAIN_SECONDS if is_again else None}
    for start in range(0, len(named), SCORING_CHUNK):
        chunk = named[start : start + SCORING_CHUNK]
        names = sorted({name for _, name in chunk if name})
        _send(
            "moderation.tasks.score_revisions",
            options=options | _headers(",".join(names[:_MOST_REQUESTS])),
            kwargs={"revision_ids": [revision_id for revision_id, _ in chunk], "is_again": is_again},
        )


def request_id() -> str:
    """Return the id of the current request, empty without one."""
    return str(structlog.contextvars.get_contextvars().get("request_id") or "")


def _headers(request_id: str) -> dict[str, Any]:
    """Return the option by which config/celery.py puts the request's id into the task's log lines."""
    return {"headers": {"request_id": request_id}} if request_id else {}


def _after_commit(
    task: str, *, queue: str, countdown: float = 0, expires_seconds: float | None = None, **kwargs: object
) -> None:
    options: dict[str, Any] = {"queue": queue, "countdown": countdown or None, "expires": expires_seconds}
    options |= _headers(request_id())
    transaction.on_commit(partial(_send, task, options=options, kwargs=kwargs))


def _send_turn(endpoint_id: int, *, due: int, request_id: str) -> None:
    """Send a message for a turn at an endpoint, unless one for the same second is on its way."""
    seconds = max(0.0, due - time.time())
    if seconds > _LATEST_TURN_SECONDS:
        return
    mark = f"spamdesk:turn:{endpoint_id}:{due if seconds else 0}"
    if _is_first(mark, seconds=math.ceil(seconds) + _TURN_EXPECTED_SECONDS):
        options = {"queue": "webhooks", "countdown": seconds or None, **_headers(request_id)}
        _send("moderation.tasks.serve_endpoint", options=options, kwargs={"endpoint_id": endpoint_id})


def _send_notifications(user_id: int, channel: str, countdown_seconds: int) -> None:
    mark = f"spamdesk:notify:{user_id}:{channel}"
    if _is_first(mark, seconds=countdown_seconds + _TURN_EXPECTED_SECONDS):
        options = {"queue": "webhooks", "countdown": countdown_seconds or None}
        kwargs: dict[str, object] = {"user_id": user_id, "channel": channel}
        _send("moderation.tasks.send_notifications", options=options, kwargs=kwargs)


def _is_first(mark: str, *, seconds: int) -> bool:
    """Set a mark in the broker's store; False if it exists. Without the store always True."""
    try:
        return bool(_store().set(mark, 1, nx=True, ex=seconds))
    except redis.RedisError:
        return True


@lru_cache(maxsize=1)
def _store() -> redis.Redis:
    return redis.Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=0.25, socket_connect_timeout=0.25)


def _send(task: str, *, options: dict[str, Any], kwargs: dict[str, object]) -> None:
    try:
        current_app.send_task(task, kwargs=kwargs, **options)
    except OperationalError as refused:
        # The broker is down. The row is committed and the sweep will find it: do not fail the caller.
        log.warning("enqueue_refused", task=task, reason=type(refused).__name__)
