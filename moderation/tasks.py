"""Celery tasks: read the clock, make one call. Keyword ids only; each is safe to run twice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from celery import shared_task
from django.utils import timezone

from moderation.operations import activity, explanations, reconsider
from moderation.operations.audit import chain
from moderation.operations.campaigns import decide_large
from moderation.operations.cases import blind_reviews
from moderation.operations.erasure import erase, journal
from moderation.operations.evidence import collect, opening, thumbnails
from moderation.operations.evidence import recovery as evidence_recovery
from moderation.operations.infrastructure import idempotency, sweeps
from moderation.operations.labels import export_build
from moderation.operations.learning import shadow_scoring, training_job
from moderation.operations.outbox import feed
from moderation.operations.quality import drift, refresh
from moderation.operations.releases import triton
from moderation.operations.reputation import inquiry
from moderation.operations.scoring import recovery, score
from moderation.operations.webhooks import send


def _sweep(work: Callable[[datetime], int]) -> Any:
    """Register a sweep as a task, by its name; config/schedule.py has the periods."""
    name = work.__name__

    def run(**_: object) -> int:
        at = timezone.now()
        return sweeps.run(sweep=name, work=lambda: work(at), at=at)

    return shared_task(name=f"{__name__}.{name}")(run)


@shared_task
def score_revisions(*, revision_ids: list[int], **_: object) -> int:
    """Score a batch of revisions."""
    return score.run(revision_ids=revision_ids, at=timezone.now())


@shared_task
def explain_score(*, score_id: int, **_: object) -> None:
    """Explain the words of a score that a human will see."""
    explanations.explain(score_id=score_id)


@_sweep
def explain_ahead(at: datetime) -> int:
    """Enqueue explanations of the cases that come up next."""
    return explanations.ahead(at=at)


@_sweep
def sweep_scoring(at: datetime) -> int:
    """Enqueue revisions whose message was lost."""
    return recovery.sweep(at=at)


@_sweep
def rescore_degraded(at: datetime) -> int:
    """Score degraded posts again when the content model is back; ask people about those that wait long."""
    return recovery.rescore_degraded(at=at) + recovery.ask_people(at=at)


@_sweep
def reload_content_models(_at: datetime) -> int:
    """Load again the content models that Triton lost in a restart."""
    return len(triton.reload())


@shared_task
def ask_reputation(*, revision_ids: list[int], **_: object) -> int:
    """Ask reputation providers about the links of revisions."""
    return inquiry.ask(revision_ids=revision_ids, at=timezone.now())


@shared_task
def open_evidence(*, revision_ids: list[int], **_: object) -> int:
    """Write down the addresses that revisions carry, to be fetched."""
    return opening.run(revision_ids=revision_ids, at=timezone.now())


@shared_task
def fetch_evidence(*, evidence_id: int, **_: object) -> int:
    """Fetch an address and keep what is there."""
    return collect.run(evidence_id=evidence_id, at=timezone.now())


@_sweep
def sweep_evidence(at: datetime) -> int:
    """Enqueue evidence whose turn has come, whose message was lost or whose worker died."""
    return evidence_recovery.sweep(at=at)


@_sweep
def sweep_thumbnails(at: datetime) -> int:
    """Delete kept files that no row names."""
    return thumbnails.sweep(at=at)


@shared_task
def serve_endpoint(*, endpoint_id: int, **_: object) -> int:
    """Send what is due at a webhook endpoint."""
    return send.serve(endpoint_id=endpoint_id, at=timezone.now())


@shared_task
def send_delivery(**_: object) -> None:
    """Do nothing: a message of the version before, whose delivery the sweep finds."""


@_sweep
def mend_clock_steps(at: datetime) -> int:
    """Make rows due that a clock set back has postponed."""
    return send.mend_clock_steps(at=at)


@_sweep
def sweep_deliveries(at: datetime) -> int:
    """Enqueue the endpoints at which deliveries are due."""
    return send.sweep(at=at)


@shared_task
def settle_campaign(*, campaign_decision_id: int, **_: object) -> int:
    """Carry out a decision on a large campaign."""
    return decide_large.run_pieces(campaign_decision_id=campaign_decision_id, at=timezone.now())


@_sweep
def sweep_campaigns(at: datetime) -> int:
    """Enqueue decisions on campaigns that a lost message left open."""
    return decide_large.sweep(at=at)


@_sweep
def sweep_blind_reviews(at: datetime) -> int:
    """Draw decisions for a blind review, and open the cases of those that were drawn."""
    return blind_reviews.sweep(at=at)


@_sweep
def sweep_reconsiderations(at: datetime) -> int:
    """Reconsider allowed posts after similar ones were decided to be spam."""
    return reconsider.sweep(at=at)


@_sweep
def erase_expired(at: datetime) -> int:
    """Erase posts past their platform's retention."""
    return erase.expired(at=at)


@_sweep
def journal_erasures(at: datetime) -> int:
    """Write new erasures into the journal outside the database."""
    return journal.write(at=at)


@_sweep
def count_hours(at: datetime) -> int:
    """Count what came and was decided in the hours that are not over or were missed."""
    return activity.count(at=at)


@_sweep
def estimate_quality(at: datetime) -> int:
    """Estimate the figures of quality anew."""
    return refresh.refresh(at=at)


@_sweep
def watch_drift(at: datetime) -> int:
    """Count the last hours' posts by their traits, and raise alarms for what has grown."""
    return drift.sweep(at=at)


@_sweep
def prune_answers(at: datetime) -> int:
    """Delete expired answers of idempotent requests."""
    return idempotency.prune(at=at)


# Acknowledged early: else the broker would redeliver a long export every minute. The row has a lease.
@shared_task(
    acks_late=False,
    soft_time_limit=export_build.LONGEST_SECONDS + 60,
    time_limit=export_build.LONGEST_SECONDS + 120,
)
def build_export(*, export_id: int, **_: object) -> None:
    """Build a requested export."""
    export_build.build(export_id=export_id, at=timezone.now())


@_sweep
def sweep_exports(at: datetime) -> int:
    """Enqueue exports that a lost message or a killed worker left open."""
    return export_build.sweep(at=at)


# Acknowledged early, as it takes hours. The row has a lease.
@shared_task(
    acks_late=False,
    soft_time_limit=training_job.LONGEST_SECONDS + 60,
    time_limit=training_job.LONGEST_SECONDS + 120,
)
def train_release(*, run_id: int, **_: object) -> None:
    """Carry out a training run."""
    training_job.run(run_id=run_id, at=timezone.now())


@_sweep
def sweep_training(at: datetime) -> int:
    """Enqueue training runs that a lost message or a killed worker left open, and scheduled ones."""
    return training_job.sweep(at=at)


@_sweep
def score_shadow(at: datetime) -> int:
    """Let a candidate in shadow score what the live release has scored."""
    return shadow_scoring.sweep(at=at)


@_sweep
def seal_audit(at: datetime) -> int:
    """Add new audit entries to the hash chain."""
    return chain.seal(at=at)


@_sweep
def number_feeds(at: datetime) -> int:
    """Number committed feed entries, also if nobody polls."""
    return feed.sweep(at=at)


@_sweep
def seal_late_audit(at: datetime) -> int:
    """Add audit entries that committed very late to the hash chain."""
    return chain.seal_late(at=at)
