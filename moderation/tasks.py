"""Celery tasks: read the clock, make one call. Keyword ids only; each is safe to run twice."""

from collections.abc import Callable
from contextlib import ExitStack

from celery import current_app, shared_task
from django.utils import timezone

from moderation import enqueue
from moderation.operations import activity, explanations, reconsider
from moderation.operations.audit import chain
from moderation.operations.campaigns import decide_large
from moderation.operations.cases import blind_reviews
from moderation.operations.decisions import actions
from moderation.operations.erasure import erase, journal, platform_deletion
from moderation.operations.evidence import collect, leases, opening, thumbnails
from moderation.operations.infrastructure import idempotency, sweeps
from moderation.operations.labels import export_build
from moderation.operations.learning import shadow_scoring, training_job
from moderation.operations.notifications import send as notification_messages
from moderation.operations.outbox import feed
from moderation.operations.quality import drift, refresh
from moderation.operations.releases import triton
from moderation.operations.reputation import inquiry
from moderation.operations.scoring import recovery, score
from moderation.operations.webhooks import send


@shared_task
def score_revisions(*, revision_ids: list[int], is_again: bool = False, **_: object) -> int:
    """Score a batch of revisions."""
    enqueue.scoring_begun(is_again=is_again)
    return score.run(revision_ids=revision_ids, at=timezone.now())


@shared_task
def explain_score(*, score_id: int, **_: object) -> None:
    """Explain the words of a score that a human will see."""
    explanations.explain(score_id=score_id)


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


@shared_task
def serve_endpoint(*, endpoint_id: int, **_: object) -> int:
    """Send what is due at a webhook endpoint."""
    return send.serve(endpoint_id=endpoint_id, at=timezone.now())


@shared_task
def send_notifications(*, user_id: int, channel: str, **_: object) -> int:
    """Tell a person what waits on a channel."""
    return notification_messages.run(user_id=user_id, channel=channel, at=timezone.now())


@shared_task
def settle_campaign(*, campaign_decision_id: int, **_: object) -> int:
    """Carry out a decision on a large campaign."""
    return decide_large.run_pieces(campaign_decision_id=campaign_decision_id, at=timezone.now())


# Acknowledged early: else the broker would redeliver a long export every minute. The row has a lease.
@shared_task(
    acks_late=False,
    soft_time_limit=export_build.LONGEST_SECONDS + 60,
    time_limit=export_build.LONGEST_SECONDS + 120,
)
def build_export(*, export_id: int, **_: object) -> None:
    """Build a requested export."""
    export_build.build(export_id=export_id, at=timezone.now())


# Acknowledged early, as it takes hours. The row has a lease.
@shared_task(
    acks_late=False,
    soft_time_limit=training_job.LONGEST_SECONDS + 60,
    time_limit=training_job.LONGEST_SECONDS + 120,
)
def train_release(*, run_id: int, **_: object) -> None:
    """Carry out a training run."""
    training_job.run(run_id=run_id, at=timezone.now())


_SWEEPS: dict[str, Callable[..., int]] = {
    "explain_ahead": explanations.ahead,
    "sweep_scoring": recovery.sweep,
    "rescore_degraded": lambda at: recovery.rescore_degraded(at=at) + recovery.ask_people(at=at),
    "reload_content_models": lambda **_: len(triton.reload()),
    "sweep_evidence": leases.sweep,
    "sweep_thumbnails": thumbnails.sweep,
    "mend_clock_steps": send.mend_clock_steps,
    "sweep_deliveries": send.sweep,
    "sweep_notifications": notification_messages.sweep,
    "sweep_campaigns": decide_large.sweep,
    "sweep_blind_reviews": blind_reviews.sweep,
    "sweep_reconsiderations": reconsider.sweep,
    "end_actions": actions.sweep,
    "erase_expired": lambda at: erase.expired(at=at) + platform_deletion.sweep(at=at),
    "journal_erasures": journal.write,
    "count_hours": activity.count,
    "estimate_quality": refresh.refresh,
    "watch_drift": drift.sweep,
    "prune_answers": idempotency.prune,
    "sweep_exports": export_build.sweep,
    "sweep_training": training_job.sweep,
    "score_shadow": shadow_scoring.sweep,
    "seal_audit": chain.seal,
    "number_feeds": feed.sweep,
    "seal_late_audit": chain.seal_late,
}
"""Tasks that only call an operation; config/schedule.py has the periods."""


@shared_task
def run_sweeps(*, names: list[str], **_: object) -> None:
    """Run tasks of beat in turn, also after one that fails."""
    with ExitStack() as remaining:
        for name in reversed(names):
            remaining.callback(current_app.tasks[name])


def _register(name: str, work: Callable[..., int]) -> None:
    def run(**_: object) -> int:
        at = timezone.now()
        return sweeps.run(sweep=name, work=lambda: work(at=at), at=at)

    shared_task(name=f"{__name__}.{name}")(run)


for _name, _work in _SWEEPS.items():
    _register(_name, _work)
