"""Celery tasks: read the clock, make one call. Keyword ids only; each is safe to run twice."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from moderation.operations import (
    campaign_carry,
    chain,
    erase,
    explain,
    export_build,
    host,
    idempotency,
    journal,
    notify,
    score,
)
from moderation.operations.reputation import inquiry


@shared_task
def score_revisions(*, revision_ids: list[int], **_: object) -> int:
    """Score a batch of revisions."""
    return score.run(revision_ids=revision_ids, at=timezone.now())


@shared_task
def explain_score(*, score_id: int, **_: object) -> None:
    """Explain the words of a score that a human will see."""
    explain.explain(score_id=score_id)


@shared_task
def explain_ahead(**_: object) -> int:
    """Ask for the explanations of the cases that come up next."""
    return explain.ahead()


@shared_task
def sweep_scoring(**_: object) -> int:
    """Enqueue again what a lost message left open."""
    return score.sweep(at=timezone.now())


@shared_task
def rescore_degraded(**_: object) -> int:
    """Score degraded posts again when the content model is back."""
    return score.rescore_degraded(at=timezone.now())


@shared_task
def reload_content_models(**_: object) -> list[str]:
    """Load again the content models that Triton lost in a restart."""
    return host.reload()


@shared_task
def ask_reputation(*, revision_ids: list[int], **_: object) -> int:
    """Ask reputation providers about the links of revisions."""
    return inquiry.ask(revision_ids=revision_ids, at=timezone.now())


@shared_task
def send_delivery(*, delivery_id: str, **_: object) -> None:
    """Attempt one delivery."""
    notify.send(delivery_id=delivery_id, at=timezone.now())


@shared_task
def sweep_deliveries(**_: object) -> int:
    """Enqueue deliveries that are due."""
    return notify.sweep(at=timezone.now())


@shared_task
def settle_campaign(*, campaign_decision_id: int, **_: object) -> int:
    """Carry out a decision on a large campaign."""
    return campaign_carry.carry_out(campaign_decision_id=campaign_decision_id, at=timezone.now())


@shared_task
def sweep_campaigns(**_: object) -> int:
    """Enqueue decisions on campaigns that a lost message left open."""
    return campaign_carry.sweep(at=timezone.now())


@shared_task
def erase_expired(**_: object) -> int:
    """Erase what platforms keep no longer."""
    return erase.expired(at=timezone.now())


@shared_task
def journal_erasures(**_: object) -> int:
    """Write new erasures into the journal outside the database."""
    return journal.write(at=timezone.now())


@shared_task
def prune_answers(**_: object) -> int:
    """Forget the answers of requests that nobody repeats any more."""
    return idempotency.prune(at=timezone.now())


# Acknowledged at once: else the broker would hand a long one out again every minute. The row has a lease.
@shared_task(
    acks_late=False,
    soft_time_limit=export_build.LONGEST_SECONDS + 60,
    time_limit=export_build.LONGEST_SECONDS + 120,
)
def build_export(*, export_id: int, **_: object) -> None:
    """Build a requested export."""
    export_build.build(export_id=export_id, at=timezone.now())


@shared_task
def sweep_exports(**_: object) -> int:
    """Enqueue exports that a lost message or a killed worker left open."""
    return export_build.sweep(at=timezone.now())


@shared_task
def seal_audit(**_: object) -> int:
    """Put new audit entries into the hash chain."""
    return chain.seal(at=timezone.now())
