"""What beat asks for, and how often: sweeps that find what a lost message left open, and housekeeping."""

from typing import Any

_SECONDS = {
    "sweep_scoring": 5.0,
    "explain_ahead": 5.0,
    "seal_audit": 5.0,
    "rescore_degraded": 10.0,
    "sweep_campaigns": 10.0,
    "reload_content_models": 10.0,
    "sweep_deliveries": 5.0,
    "journal_erasures": 5.0,
    "sweep_exports": 10.0,
    "erase_expired": 300.0,
    "prune_answers": 900.0,
}


def _entry(task: str, seconds: float) -> dict[str, Any]:
    # Each run expires before the next, so that a worker that was away does not find a pile of sweeps.
    options = {"queue": "default", "expires": int(seconds)}
    return {"task": f"moderation.tasks.{task}", "schedule": seconds, "options": options}


BEAT = {task.replace("_", "-"): _entry(task, seconds) for task, seconds in _SECONDS.items()}
