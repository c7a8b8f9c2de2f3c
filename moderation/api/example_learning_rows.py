"""Rows in the examples of the OpenAPI document: releases, thresholds, proposals, shadow runs."""

from __future__ import annotations

from moderation.api.example_rows import REFERENCE, RELEASE

UNKNOWN_SHARE = {"value": None, "low": 0.0, "high": 1.0, "labels": 0}
POINT = {
    "review_from": 0.11,
    "remove_from": 0.95,
    "audit_rate": 0.02,
    "precision": {"value": 0.991, "low": 0.962, "high": 0.999, "labels": 180},
    "recall": {"value": 0.84, "low": 0.71, "high": 0.92, "labels": 210},
    "missed": {"value": 0.0042, "low": 0.0018, "high": 0.0091, "labels": 640},
    "missed_per_day": {"value": 151.2, "low": 64.8, "high": 327.6},
    "wrong_per_day": {"value": 10.8, "low": 1.2, "high": 45.6},
    "cases_per_day": 2810.0,
    "people": 1.6,
    "cost": 1480.0,
}
SIMULATION = {
    "days": 30,
    "labels": 820,
    "posts_per_day": 40_000.0,
    "seconds_per_case": 12.3,
    "live": POINT,
    "chosen": POINT | {"review_from": 0.2, "cases_per_day": 1990.0, "missed": UNKNOWN_SHARE},
    "cheapest": None,
    "curve": [POINT],
    "promise": {"precision": 0.99, "confidence": 0.95, "remove_from": 0.97},
    "dry_run": {"is_whole": True, "changes": [{"before": "review", "after": "allow", "posts": 5_740}]},
}
PROPOSAL = {
    "id": "2",
    "kind": "thresholds",
    "state": "open",
    "candidate": "9b2e07",
    "replaces": RELEASE,
    "live_thresholds": {"review_from": 0.11, "remove_from": 0.95, "audit_rate": 0.02},
    "thresholds": {"review_from": 0.2, "remove_from": 0.95, "audit_rate": 0.02},
    "training_run": None,
    "reason": "Too many cases at night",
    "is_own": True,
    "made_at": "2026-03-01T09:30:00Z",
    "expires_at": "2026-03-08T09:30:00Z",
    "closed_at": None,
}
SHADOW_RUN = {
    "id": "4",
    "is_open": True,
    "candidate": "9b2e07",
    "compared_with": RELEASE,
    "share": 0.5,
    "started_at": "2026-03-01T09:30:00Z",
    "stopped_at": None,
    "trouble_at": None,
    "progress": {"scored": 1_840, "differing": 21, "waiting": 0, "decided": 0},
}
DISAGREEMENT = {
    "post": REFERENCE,
    "live": {"route": "allow", "spam_probability": 0.04},
    "candidate": {"route": "remove", "spam_probability": 0.97},
    "case": "",
}
SHADOW_FIGURES = {
    "estimated_at": "2026-03-02T09:30:00Z",
    "is_worse": False,
    "differences": [
        {
            "dimension": "platform",
            "slice": "social",
            "mistake": "missed",
            "posts": 40_200,
            "differing": 310,
            "labels": 96,
            "value": -0.0031,
            "low": -0.0052,
            "high": -0.0009,
            "outcome": "better",
        }
    ],
    "rates": [],
}
MODEL_METRICS = {
    "release": RELEASE,
    "split": "test",
    "is_simulated": True,
    "data": [
        {
            "part": "complete",
            "posts": 1_473,
            "spam": 299,
            "pr_auc": 0.908,
            "removed": 169,
            "precision": 0.976,
        }
    ],
}
REPLAY = {
    "release": RELEASE,
    "records": 1,
    "mean_difference": 0.31,
    "moves": [{"before": "allow", "after": "review", "posts": 1}],
    "data": [
        {
            "post": REFERENCE,
            "scored_at": "2026-02-20T09:31:01Z",
            "release": "9b2e07",
            "is_degraded": False,
            "before": {"route": "allow", "spam_probability": 0.04},
            "after": {"route": "review", "spam_probability": 0.35},
        }
    ],
}
