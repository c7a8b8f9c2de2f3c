"""Rows in the examples of the OpenAPI document: the audit log, drift, the queue, reviewers, quality."""

from __future__ import annotations

AUDIT_LINK = {
    "seq": 1,
    "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "sealed_at": "2026-03-01T09:31:06Z",
    "entry": {
        "id": "1",
        "at": "2026-03-01T09:31:01Z",
        "actor": {"id": "3", "name": "Ada Lead"},
        "action": "decision.created",
        "subject_kind": "decision",
        "subject_id": "2",
        "details": {"post": 1, "case": 7, "verdict": "spam", "source": "moderator"},
        "masked": [],
    },
}
QUEUE = {
    "at": "2026-03-01T09:31:00Z",
    "waiting": 41,
    "escalated": 2,
    "claimed": 3,
    "oldest_at": "2026-03-01T07:12:00Z",
    "reasons": [{"reason": "uncertain", "cases": 38}, {"reason": "complaints", "cases": 3}],
    "opened_24h": 310,
    "closed_24h": 322,
}
REVIEWERS = {
    "since": "2026-02-22T09:31:00Z",
    "until": "2026-03-01T09:31:00Z",
    "data": [
        {
            "id": "3",
            "name": "Ada Lead",
            "decisions": 180,
            "spam": 95,
            "not_spam": 85,
            "reversed": 2,
            "last_at": "2026-03-01T09:30:00Z",
        }
    ],
}
DRIFT_ALARM = {
    "id": "3",
    "raised_at": "2026-03-01T12:00:00Z",
    "seen_at": "2026-03-01T16:00:00Z",
    "acknowledged_at": None,
    "posts": 37,
    "all_posts": 6812,
    "mean_probability": 0.04,
    "traits": [
        {
            "family": "words",
            "trait": "golden harvest",
            "authors": 37,
            "all_authors": 6240,
            "authors_before": 2,
            "all_authors_before": 171_030,
        }
    ],
    "slices": [{"kind": "language", "name": "en", "posts": 37, "all_posts": 4102}],
}
QUALITY = {
    "data": [
        {
            "measure": "missed",
            "unit": "posts",
            "dimension": "all",
            "slice": "",
            "weighted": {"value": 0.0042, "low": 0.0018, "high": 0.0091, "labels": 640},
            "uniform": {"value": 0.005, "low": 0.0009, "high": 0.0172, "labels": 200},
            "since": "2026-02-01T09:30:00Z",
            "until": "2026-03-01T09:30:00Z",
            "estimated_at": "2026-03-01T09:30:00Z",
        }
    ],
    "next_cursor": None,
    "removal": {
        "setting": "proven",
        "is_automatic": True,
        "proven_at": "2026-02-20T09:30:00Z",
        "right": 412,
        "wrong": 1,
        "low": 0.9824,
        "promise": 0.98,
        "missing": 0,
    },
}
