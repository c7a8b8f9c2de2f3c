"""Celery tasks of integrations: read the clock, make one call. Each is safe to run twice."""

from datetime import datetime
from functools import partial

from celery import shared_task
from django.db import transaction
from django.utils import timezone

from integrations import deliveries, history, history_job, polling
from moderation.operations.infrastructure import sweeps

_LONGEST_SECONDS = 4 * 3_600


@shared_task
def poll(*, integration_id: int, **_: object) -> int:
    """Ask one platform what is reported."""
    return polling.poll(integration_id=integration_id, at=timezone.now())


@shared_task
def read_delivery(*, exchange_id: int, **_: object) -> int:
    """Take in what a platform delivered."""
    return deliveries.read(exchange_id=exchange_id, at=timezone.now())


# Acknowledged early, as it takes minutes. The row has a lease.
@shared_task(acks_late=False, soft_time_limit=_LONGEST_SECONDS, time_limit=_LONGEST_SECONDS + 60)
def judge_history(*, history_id: int, **_: object) -> None:
    """Judge an import of past actions."""
    history_job.carry_out(history_id=history_id, at=timezone.now())


@shared_task
def poll_integrations(**_: object) -> int:
    """Enqueue a question to each platform that is due, and deliveries whose message was lost."""
    at = timezone.now()
    return sweeps.run(sweep="poll_integrations", work=lambda: _enqueue(at=at), at=at)


def _enqueue(*, at: datetime) -> int:
    due, waiting = polling.due(at=at), deliveries.forgotten(at=at)
    history.forget(at=at)
    for integration_id in due:
        poll.apply_async(kwargs={"integration_id": integration_id})
    for exchange_id in waiting:
        read_delivery.apply_async(kwargs={"exchange_id": exchange_id})
    return len(due) + len(waiting)


def soon(*, integration_id: int) -> None:
    """Ask a platform once the transaction has committed."""
    transaction.on_commit(lambda: poll.apply_async(kwargs={"integration_id": integration_id}))


def judge_soon(*, history_id: int) -> None:
    """Judge an import once the transaction has committed; where training runs, so one at a time."""
    send = partial(judge_history.apply_async, kwargs={"history_id": history_id}, queue="learning")
    transaction.on_commit(send)
