"""Examples of the OpenAPI document: a body per operation that takes one, and an answer per operation.

The requests are sent by tests/journeys/test_contract.py, so they stay true.
"""

from __future__ import annotations

from typing import Any

_POST = {
    "external_id": "post-1001",
    "text": "Has anybody seen my grey cat near the river?",
    "language": "en",
    "posted_at": "2026-03-01T09:30:00Z",
    "author": {"external_id": "user-77", "display_name": "Rosa", "email_domain": "example.org", "posts": 431},
    "ip": "192.0.2.17",
    "journey": [{"name": "open_composer", "at_ms": 0}, {"name": "press_send", "at_ms": 61200}],
}
_ACCEPTED = {
    "id": "1",
    "external_id": "post-1001",
    "revision": 1,
    "score_state": "pending",
    "case_id": None,
}
_REFERENCE = {"id": "1", "external_id": "post-1001", "revision": 1}
_RELEASE = "3f1c5a"
_CONTRIBUTION = {"feature": "social.followers", "value": None, "contribution": 0.12}
_DECISION = {
    "id": "2",
    "post": _REFERENCE,
    "verdict": "spam",
    "source": "moderator",
    "reason": "scam",
    "decided_at": "2026-03-01T09:31:01.204511Z",
    "reverses": None,
    "reversed": False,
    "spam_probability": 0.62,
    "is_degraded": False,
    "release": _RELEASE,
}
_CASE = {
    "id": "7",
    "version": 1,
    "state": "open",
    "reason": "uncertain",
    "priority": 0.62,
    "is_escalated": False,
    "post": _REFERENCE,
    "complaints": 2,
    "spam_probability": 0.62,
    "is_degraded": False,
    "opened_at": "2026-03-01T09:30:02Z",
    "lease_end_at": None,
}
_LEASE = {"lease_end_at": "2026-03-01T09:33:00Z"}
_PAGE: dict[str, Any] = {
    **{name: _ACCEPTED[name] for name in ("id", "external_id", "revision")},
    "posted_at": _POST["posted_at"],
    "received_at": "2026-03-01T09:30:00.911034Z",
    "erased_at": None,
    "shares": 0,
    "comments": 3,
    "text": _POST["text"],
    "language": "en",
    "author": {"external_id": "user-77", "display_name": "Rosa"},
    "links": [],
    "media_urls": [],
    "score_state": "pending",
    "scores": [],
    "campaign_id": None,
    "case": None,
    "decision": None,
}
_RULE = {
    "id": "3",
    "kind": "domain",
    "value": "evil.example",
    "reason": "sells pills",
    "imposed_at": "2026-03-01T09:30:00Z",
    "expires_at": "2100-01-01T00:00:00Z",
    "lifted_at": None,
}
_EXPORT = {
    "id": "5",
    "state": "waiting",
    "requested_at": "2026-03-01T09:30:00Z",
    "rows": 0,
    "manifest": None,
    "file": None,
    "error": "",
}
_ENDPOINT = {
    "id": "4",
    "url": "https://hooks.example/spamdesk",
    "events": [],
    "state": "active",
    "state_reason": "",
    "created_at": "2026-03-01T09:30:00Z",
}
_DELIVERY = {
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
_WHOLE_DELIVERY = _DELIVERY | {
    "body": {
        "type": "decision.created",
        "timestamp": "2026-03-01T09:31:01Z",
        "data": {"id": "2", "sequence": 1, "post": _REFERENCE, "verdict": "spam", "reverses": None},
    },
    "log": [{"at": "2026-03-01T09:31:12Z", "status": 204, "error": "", "duration_ms": 84}],
}
_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105 - the specification's own example
_ERASURE = {"id": "6", "kind": "post", "posts": 1, "erased_at": "2026-03-01T10:00:00Z"}

_APPEAL = {
    "id": "8",
    "external_id": "appeal-1",
    "state": "open",
    "decision_id": "2",
    "case_id": "7",
    "outcome_id": None,
    "filed_at": "2026-03-01T10:00:00Z",
}
_CAMPAIGN = {
    "id": "6",
    "posts": 40,
    "waiting": 38,
    "escalated": 0,
    "is_shared": False,
    "opened_at": "2026-03-01T09:00:00Z",
    "latest_at": "2026-03-01T09:30:00Z",
}
_MEMBER = {
    "post": _REFERENCE,
    "place": "waiting",
    "likeness": 0.93,
    "ties": ["text", "domain"],
    "joined_at": "2026-03-01T09:30:00Z",
}

REQUESTS: dict[str, Any] = {
    "send_post": _POST,
    "send_posts": _POST,
    "judge_post": _POST,
    "update_counts": {"shares": 12, "comments": 4},
    "send_complaint": {
        "external_id": "report-1",
        "post": "post-1001",
        "reporter": {"external_id": "user-80"},
        "reason": "scam",
        "note": "Wants me to call a number",
        "reported_at": "2026-03-01T09:40:00Z",
    },
    "file_appeal": {"decision": "2", "external_id": "appeal-1", "reason": "It is my own shop."},
    "claim_cases": {"count": 5},
    "decide_case": {"verdict": "spam", "version": 1, "reason": "scam"},
    "escalate_case": {"note": "Is this satire?"},
    "note_case": {"note": "Her shop is real, see her profile."},
    "ask_second_person": {"note": "I am not sure about the irony."},
    "decide_campaign": {"verdict": "spam", "expected_count": 38, "reason": "scam"},
    "reverse_decision": {"reason": "a joke"},
    "add_rule": {name: _RULE[name] for name in ("kind", "value", "reason", "expires_at")},
    "request_export": {"since": "2026-01-01T00:00:00Z"},
    "add_endpoint": {"url": "https://hooks.example/spamdesk", "events": ["decision.reversed"]},
    "change_endpoint": {"is_active": False},
    "rotate_secret": {"signature": "ed25519", "overlap_hours": 48},
}

ANSWERS: dict[str, Any] = {
    "send_post": _ACCEPTED,
    "send_posts": {"results": [{"line": 1, "status": 202, **_ACCEPTED}], "accepted": 1, "refused": 0},
    "judge_post": {
        **{name: _ACCEPTED[name] for name in ("id", "external_id", "revision")},
        "verdict": "not_spam",
        "route": "allow",
        "spam_probability": 0.02,
        "content_probability": 0.01,
        "bands": {"review_from": 0.11, "remove_from": 0.95},
        "is_degraded": False,
        "release": _RELEASE,
        "decision_id": "2",
        "case_id": None,
        "contributions": [_CONTRIBUTION],
        "took_ms": 41,
    },
    "find_post": _PAGE,
    "read_post": _PAGE,
    "update_counts": {"id": "1", "revision": 1, "shares": 12, "comments": 4},
    "erase_post": _ERASURE,
    "erase_author": _ERASURE | {"kind": "author"},
    "read_author_timeline": {
        "events": [{"at": "2026-03-01T09:30:00Z", "kind": "post", "verdict": "spam"}],
        "is_partial": False,
    },
    "read_domain": {
        "domain": "evil.example",
        "posts": 40,
        "authors": 31,
        "waiting": 3,
        "spam": 12,
        "not_spam": 0,
        "complaints": 5,
        "first_at": "2026-02-01T09:30:00Z",
        "last_at": "2026-03-01T09:30:00Z",
        "rule": _RULE,
    },
    "send_complaint": {"id": "1", "post_id": "1"},
    "file_appeal": _APPEAL,
    "read_appeal": _APPEAL | {"state": "overturned", "outcome_id": "3"},
    "read_decisions": {"data": [_DECISION], "next_cursor": "djE6MTc3MjM1NzQ2MTIwNDUxMTox", "has_more": False},
    "reverse_decision": _DECISION | {"id": "3", "verdict": "not_spam", "reverses": "2"},
    "read_cases": {"data": [_CASE], "next_cursor": None},
    "read_case": _CASE | {"text": _POST["text"], "links": [], "media_urls": [], "notes": []},
    "claim_cases": {"cases": [_CASE], **_LEASE},
    "hold_case": {"case": _CASE, **_LEASE},
    "decide_case": _DECISION,
    "escalate_case": _CASE | {"reason": "escalated", "is_escalated": True},
    "note_case": {
        "id": "3",
        "note": "Her shop is real, see her profile.",
        "written_at": "2026-03-01T09:32:00Z",
    },
    "ask_second_person": _CASE | {"id": "9", "version": 2, "reason": "second", "spam_probability": None},
    "read_campaigns": {"data": [_CAMPAIGN], "next_cursor": None},
    "read_members": {"data": [_MEMBER], "next_cursor": None},
    "decide_campaign": {
        "id": "2",
        "campaign_id": "6",
        "verdict": "spam",
        "posts": 38,
        "state": "done",
        "decided_at": "2026-03-01T09:31:00Z",
        "effective_at": "2026-03-01T09:31:10Z",
    },
    "read_rules": {"data": [_RULE], "next_cursor": None},
    "add_rule": _RULE,
    "read_rule": _RULE,
    "backtest_rule": {
        "posts": 40,
        "judged": 12,
        "spam": 12,
        "not_spam": 0,
        "precision": 1.0,
        "precision_from": 0.76,
        "precision_to": 1.0,
    },
    "read_labels": {"data": [], "next_cursor": None},
    "request_export": _EXPORT,
    "read_export": _EXPORT,
    "read_endpoints": {"data": [_ENDPOINT]},
    "add_endpoint": _ENDPOINT | {"secret": _SECRET},
    "read_endpoint": _ENDPOINT,
    "change_endpoint": _ENDPOINT | {"state": "disabled", "state_reason": "disabled by the platform"},
    "rotate_secret": {
        "id": "9",
        "signature": "hmac",
        "public_key": "",
        "created_at": "2026-03-01T09:30:00Z",
        "expires_at": None,
        "secret": _SECRET,
    },
    "read_deliveries": {"data": [_DELIVERY], "next_cursor": None},
    "read_delivery": _WHOLE_DELIVERY,
    "replay_delivery": _WHOLE_DELIVERY | {"state": "waiting"},
}


def add_examples(result: dict[str, Any], **_: object) -> dict[str, Any]:
    """Put the examples into the document; a hook of drf-spectacular, called with the finished document."""
    for methods in result["paths"].values():
        for operation in methods.values():
            name = operation["operationId"]
            if name in REQUESTS:
                for content in operation["requestBody"]["content"].values():
                    content["example"] = REQUESTS[name]
            for status, response in operation["responses"].items():
                if status.startswith("2") and name in ANSWERS:
                    response["content"]["application/json"]["example"] = ANSWERS[name]
    return result
