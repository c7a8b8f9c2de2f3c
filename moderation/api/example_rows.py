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
    "media_urls": ["https://cats.example/grey.jpg"],
    "pictures": [
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    ],
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
    "author_deleted_at": None,
    "lease_end_at": None,
}
LEASE = {"lease_end_at": "2026-03-01T09:33:00Z"}
EVIDENCE: dict[str, Any] = {"url": "https://parcel.example/pay", "role": "link", "state": "fetched"} | {
    "fetched_at": "2026-03-01T09:30:04Z",
    "chain": [{"url": "https://parcel.example/pay", "status": 200}],
    **dict.fromkeys(("final_host", "final_domain"), "parcel.example"),
    "title": "Your parcel waits",
    **dict.fromkeys(("article", "text"), "A small fee is due before it can be brought to you."),
    "is_cut": False,
    "forms": [{"action_host": "takes.example", "posts_elsewhere": True, "asks_password": False}],
    "downloads": [],
    "differs_for_browser": False,
    "differs_from_preview": False,
    "picture": None,
    "transcript": None,
}
PICTURE_EVIDENCE: dict[str, Any] = {
    "url": "https://pictures.example/parcel.png",
    "role": "media",
    "state": "fetched",
    "fetched_at": "2026-03-01T09:30:05Z",
    "chain": [{"url": "https://pictures.example/parcel.png", "status": 200}],
    **dict.fromkeys(("final_host", "final_domain"), "pictures.example"),
    **dict.fromkeys(("title", "article", "forms", "downloads"), None),
    "text": "YOUR PARCEL IS HELD\nScan to pay 1.99",
    "is_cut": False,
    **dict.fromkeys(("differs_for_browser", "differs_from_preview"), None),
    "picture": {
        "format": "PNG",
        "width": 900,
        "height": 300,
        "is_animated": False,
        "has_thumbnail": True,
        "codes": [{"format": "QRCode", "text": "https://parcel.example/pay", "host": "parcel.example"}],
        "image_spam_probability": None,
    },
    "transcript": None,
}
SPEECH_EVIDENCE: dict[str, Any] = dict.fromkeys(PICTURE_EVIDENCE) | {
    "url": "https://videos.example/won.webm",
    "role": "media",
    "state": "fetched",
    "fetched_at": "2026-03-01T09:30:09Z",
    "chain": [{"url": "https://videos.example/won.webm", "status": 200}],
    **dict.fromkeys(("final_host", "final_domain"), "videos.example"),
    "text": "you have won\nwrite to me now",
    "is_cut": True,
    "transcript": {
        "language": None,
        "source": "vosk: vosk-model-small-en-us-0.15",
        "heard_seconds": 60.0,
        "cues": [
            {"start_ms": 900, "end_ms": 2_100, "text": "you have won"},
            {"start_ms": 2_400, "end_ms": 3_900, "text": "write to me now"},
        ],
        "is_cut": True,
    },
}
PAGE: dict[str, Any] = {
    **{name: ACCEPTED[name] for name in ("id", "external_id", "revision")},
    "posted_at": POST["posted_at"],
    "received_at": "2026-03-01T09:30:00.911034Z",
    "erased_at": None,
    "shares": 0,
    "comments": 3,
    "views": 210,
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
    "media_urls": [PICTURE_EVIDENCE["url"], SPEECH_EVIDENCE["url"]],
    "transcripts": [
        {
            "language": "en",
            "source": "author",
            "heard_seconds": None,
            "cues": [{"start_ms": 1_000, "end_ms": 4_000, "text": "She answers to Luna"}],
            "is_cut": False,
        }
    ],
    "evidence": [EVIDENCE, PICTURE_EVIDENCE, SPEECH_EVIDENCE],
    "score_state": "pending",
    "scores": [],
    "campaign_id": None,
    "policies": [{"id": "3", "name": "Coins", "effect": "tag", "probability": 0.47}],
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
AUTHOR_DELETION = {
    "deleted_at": "2026-03-01T10:00:00Z",
    "waiting": 2,
    "erased_by": "2026-03-08T10:00:00Z",
}
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
