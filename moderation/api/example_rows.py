"""Unsaved rows from which the examples of the OpenAPI document are built, one of each kind."""

from __future__ import annotations

from typing import Any

POST = {
    "external_id": "post-1001",
    "text": "Has anybody seen my grey cat near the river?",
    "language": "en",
    "posted_at": "2026-03-01T09:30:00Z",
    "parent": {
        "external_id": "post-1000",
        "text": "Lost and found in the old town",
        "author": {"external_id": "user-12", "display_name": "Town notices"},
    },
    "author": {"external_id": "user-77", "display_name": "Rosa", "email_domain": "example.org", "posts": 431},
    "ip": "192.0.2.17",
    "transcripts": [
        {
            "captions": "WEBVTT\n\n00:01.000 --> 00:04.000\nShe answers to Luna\n",
            "language": "en",
            "source": "author",
        }
    ],
    "journey": [{"name": "open_composer", "at_ms": 0}, {"name": "press_send", "at_ms": 61200}],
}
ACCEPTED = {
    "id": "1",
    "external_id": "post-1001",
    "revision": 1,
    "score_state": "pending",
    "case_id": None,
}
REFERENCE = {"id": "1", "external_id": "post-1001", "revision": 1}
RELEASE = "3f1c5a"
CONTRIBUTION = {"feature": "social.followers", "value": None, "contribution": 0.12}
DECISION = {
    "id": "2",
    "post": REFERENCE,
    "verdict": "spam",
    "source": "moderator",
    "reason": "scam",
    "decided_at": "2026-03-01T09:31:01.204511Z",
    "reverses": None,
    "reversed": False,
    "spam_probability": 0.62,
    "is_degraded": False,
    "release": RELEASE,
}
CASE = {
    "id": "7",
    "version": 1,
    "state": "open",
    "reason": "uncertain",
    "priority": 0.62,
    "is_escalated": False,
    "post": REFERENCE,
    "complaints": 2,
    "spam_probability": 0.62,
    "is_degraded": False,
    "opened_at": "2026-03-01T09:30:02Z",
    "lease_end_at": None,
}
LEASE = {"lease_end_at": "2026-03-01T09:33:00Z"}
EVIDENCE: dict[str, Any] = {"url": "https://parcel.example/pay", "role": "link", "state": "fetched"} | {
    "fetched_at": "2026-03-01T09:30:04Z",
    "chain": [{"url": "https://parcel.example/pay", "status": 200}],
    **dict.fromkeys(("final_host", "final_domain"), "parcel.example"),
    "title": "Your parcel waits",
    **dict.fromkeys(("article", "text"), "A small fee is due before it can be brought to you."),
    "forms": [{"action_host": "takes.example", "posts_elsewhere": True, "asks_password": False}],
    "downloads": [],
}
PAGE: dict[str, Any] = {
    **{name: ACCEPTED[name] for name in ("id", "external_id", "revision")},
    "posted_at": POST["posted_at"],
    "received_at": "2026-03-01T09:30:00.911034Z",
    "erased_at": None,
    "shares": 0,
    "comments": 3,
    "parent": {
        "id": None,
        "external_id": "post-1000",
        "text": "Lost and found in the old town",
        "author": {"external_id": "user-12", "display_name": "Town notices"},
    },
    "text": POST["text"],
    "language": "en",
    "author": {"external_id": "user-77", "display_name": "Rosa"},
    "links": [],
    "media_urls": [],
    "evidence": [EVIDENCE],
    "score_state": "pending",
    "scores": [],
    "campaign_id": None,
    "case": None,
    "decision": None,
}
RULE = {
    "id": "3",
    "effect": "ban",
    "kind": "domain",
    "value": "evil.example",
    "reason": "sells pills",
    "state": "live",
    "imposed_at": "2026-03-01T09:30:00Z",
    "activated_at": "2026-03-01T09:32:00Z",
    "expires_at": "2100-01-01T00:00:00Z",
    "lifted_at": None,
}
DRAW = {
    "id": "6",
    "asked_at": "2026-03-01T09:30:00Z",
    "days": 7,
    "drawn": 100,
    "population": 41_200,
    "decided": 37,
    "waiting": 63,
    "is_cancelled": False,
}
EXPORT = {
    "id": "5",
    "state": "waiting",
    "format": "jsonl",
    "requested_at": "2026-03-01T09:30:00Z",
    "rows": 0,
    "manifest": None,
    "file": None,
    "error": "",
}
MODEL = {
    "id": RELEASE,
    "is_live": True,
    "first_used_at": "2026-03-01T09:30:00Z",
    "thresholds": {"review_from": 0.11, "remove_from": 0.95},
    "has_own_head": False,
    "is_training_simulated": True,
}
TRAINING_RUN = {
    "id": "3",
    "state": "waiting",
    "step": "",
    "requested_at": "2026-03-01T09:30:00Z",
    "started_at": None,
    "ended_at": None,
    "candidate": "",
    "compared_with": "",
    "gate": None,
    "error": "",
}
ENDPOINT = {
    "id": "4",
    "url": "https://hooks.example/spamdesk",
    "events": [],
    "state": "active",
    "state_reason": "",
    "created_at": "2026-03-01T09:30:00Z",
}
DELIVERY = {
    "id": "0b9f8f5e-5b0c-4b5e-9d3c-2f6c1f1f9b0a",
    "event": "decision.created",
    "state": "delivered",
    "post": "post-1001",
    "sequence": 1,
    "attempts": 1,
    "created_at": "2026-03-01T09:31:01Z",
    "next_attempt_at": None,
    "delivered_at": "2026-03-01T09:31:12Z",
    "last_error": "",
}
WHOLE_DELIVERY = DELIVERY | {
    "body": {
        "type": "decision.created",
        "timestamp": "2026-03-01T09:31:01Z",
        "data": {"id": "2", "sequence": 1, "post": REFERENCE, "verdict": "spam", "reverses": None},
    },
    "log": [{"at": "2026-03-01T09:31:12Z", "status": 204, "error": "", "duration_ms": 84}],
}
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105 - the specification's own example
ERASURE = {"id": "6", "kind": "post", "posts": 1, "erased_at": "2026-03-01T10:00:00Z"}

APPEAL = {
    "id": "8",
    "external_id": "appeal-1",
    "state": "open",
    "decision_id": "2",
    "case_id": "7",
    "outcome_id": None,
    "filed_at": "2026-03-01T10:00:00Z",
}
CAMPAIGN = {
    "id": "6",
    "posts": 40,
    "waiting": 38,
    "escalated": 0,
    "is_shared": False,
    "opened_at": "2026-03-01T09:00:00Z",
    "latest_at": "2026-03-01T09:30:00Z",
}
MEMBER = {
    "post": REFERENCE,
    "place": "waiting",
    "likeness": 0.93,
    "ties": ["text", "domain"],
    "joined_at": "2026-03-01T09:30:00Z",
}
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
CANARY = {
    "id": "2",
    "state": "proposed",
    "shadow_run": "4",
    "candidate": "9b2e07",
    "compared_with": RELEASE,
    "share": 0.05,
    "is_own": True,
    "proposed_at": "2026-03-02T09:30:00Z",
    "started_at": None,
    "stopped_at": None,
    "end": "",
    "failures": 0,
    "figures": None,
}
