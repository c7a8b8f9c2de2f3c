"""The schedule of beat: sweeps that recover lost messages, and housekeeping; and which worker runs what."""

from typing import Any

WORKERS = {
    "scoring": ("scoring",),
    "housekeeping": ("housekeeping",),
    "webhooks": ("webhooks",),
    "background": ("campaigns", "explanations", "erasures", "default"),
    "evidence": ("reputation", "evidence"),
    "exports": ("exports",),
    "learning": ("learning",),
}
"""The queues of each worker, by its name in deploy/: part, container, and unit after `spamdesk-`."""

SECONDS = {
    "sweep_scoring": 5.0,
    "explain_ahead": 5.0,
    "seal_audit": 5.0,
    "number_feeds": 2.5,
    "rescore_degraded": 5.0,
    "sweep_campaigns": 10.0,
    "sweep_reconsiderations": 10.0,
    "reload_content_models": 10.0,
    "poll_integrations": 10.0,
    "sweep_evidence": 5.0,
    "sweep_deliveries": 5.0,
    "journal_erasures": 5.0,
    "sweep_notifications": 10.0,
    "sweep_exports": 10.0,
    "sweep_training": 10.0,
    "score_shadow": 15.0,
    "end_actions": 60.0,
    "count_hours": 60.0,
    "sweep_blind_reviews": 60.0,
    "mend_clock_steps": 60.0,
    "erase_expired": 300.0,
    "seal_late_audit": 600.0,
    "estimate_quality": 600.0,
    "watch_drift": 600.0,
    "prune_answers": 900.0,
    "sweep_thumbnails": 900.0,
}
"""From the start of one run to the start of the next."""

_LONG = {"erase_expired", "estimate_quality", "score_shadow", "watch_drift"}
"""Tasks that may take minutes are in another worker's queue, so that they never block a short sweep."""
_OF_INTEGRATIONS = {"poll_integrations"}
_ASKED_EVERY_SECONDS = 30.0
_EXPIRES_SECONDS = 86_400
"""Checked by the worker's clock, which may be hours ahead of beat's: a short one would drop every sweep.
"""


def _entry(task: str, seconds: float) -> dict[str, Any]:
    # Rare sweeps are enqueued more often than they run, so that a restart does not delay them. Messages do
    # not expire with the next one: a worker that was away runs each sweep once (`sweeps.run`).
    options = {"queue": "erasures" if task in _LONG else "housekeeping", "expires": _EXPIRES_SECONDS}
    return {
        "task": f"{'integrations' if task in _OF_INTEGRATIONS else 'moderation'}.tasks.{task}",
        "schedule": min(seconds, _ASKED_EVERY_SECONDS),
        "options": options,
    }


BEAT = {task.replace("_", "-"): _entry(task, seconds) for task, seconds in SECONDS.items()}
