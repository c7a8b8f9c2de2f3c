"""Examples of the OpenAPI document: a body per operation that takes one, and an answer per operation.

tests/journeys/test_contract.py sends the requests.
"""

from __future__ import annotations

from typing import Any

from moderation.api.example_learning_rows import (
    DISAGREEMENT,
    MODEL_METRICS,
    PROPOSAL,
    REPLAY,
    SHADOW_FIGURES,
    SHADOW_RUN,
    SIMULATION,
)
from moderation.api.example_operating_rows import AUDIT_LINK, DRIFT_ALARM, QUALITY, QUEUE, REVIEWERS
from moderation.api.example_rows import (
    ACCEPTED,
    APPEAL,
    AUTHOR_DELETION,
    CAMPAIGN,
    CASE,
    CONTRIBUTION,
    DECISION,
    DELIVERY,
    DRAW,
    ENDPOINT,
    ERASURE,
    EXPORT,
    LEASE,
    MEMBER,
    MODEL,
    PAGE,
    POST,
    REFERENCE,
    RELEASE,
    RULE,
    SECRET,
    TRAINING_RUN,
    WHOLE_DELIVERY,
)

REQUESTS: dict[str, Any] = {
    "send_post": POST,
    "send_posts": POST,
    "score_post": POST,
    "score_topics": {
        "texts": ["Send 0.1 BTC and get 0.2 back today", "The choir rehearses on Wednesday"],
        "topics": ["cryptocurrency, bitcoin or tokens", "music"],
    },
    "update_counts": {"shares": 12, "comments": 4, "views": 2_310},
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
    "add_rule": {name: RULE[name] for name in ("effect", "kind", "value", "reason", "expires_at")},
    "draw_posts": {"posts": 100, "days": 7},
    "request_export": {
        "format": "parquet",
        "since": "2026-01-01T00:00:00Z",
        "weights": True,
        "splits": ["train"],
    },
    "simulate_thresholds": {"thresholds": {"review_from": 0.2}, "days": 30, "precision": 0.99},
    "roll_back": {"live": "9b2e07", "to": RELEASE},
    "replay_scores": {
        "range": {"since": "2026-02-01T00:00:00Z", "until": "2026-03-01T00:00:00Z", "limit": 100},
        "release": RELEASE,
    },
    "propose_release": {"thresholds": {"review_from": 0.2}, "reason": "Too many cases at night"},
    "start_shadow_run": {"training_run": "3", "share": 0.5},
    "add_endpoint": {"url": "https://hooks.example/spamdesk", "events": ["decision.reversed"]},
    "change_endpoint": {"is_active": False},
    "rotate_secret": {"signature": "ed25519", "overlap_hours": 48},
}

ANSWERS: dict[str, Any] = {
    "send_post": ACCEPTED,
    "send_posts": {"results": [{"line": 1, "status": 202, **ACCEPTED}], "accepted": 1, "refused": 0},
    "score_post": {
        **{name: ACCEPTED[name] for name in ("id", "external_id", "revision")},
        "verdict": "not_spam",
        "route": "allow",
        "spam_probability": 0.02,
        "content_probability": 0.01,
        "rule": None,
        "bands": {"review_from": 0.11, "remove_from": 0.95},
        "is_degraded": False,
        "release": RELEASE,
        "decision_id": "2",
        "case_id": None,
        "contributions": [CONTRIBUTION],
        "took_ms": 41,
    },
    "score_topics": {
        "topics": ["cryptocurrency, bitcoin or tokens", "music"],
        "probabilities": [[0.4713, 0.0112], [0.0064, 0.3518]],
    },
    "find_post": PAGE,
    "read_post": PAGE,
    "update_counts": {"id": "1", "revision": 1, "shares": 12, "comments": 4, "views": 2_310},
    "erase_post": ERASURE,
    "delete_author": AUTHOR_DELETION,
    "erase_author": ERASURE | {"kind": "author"},
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
        "rule": RULE,
    },
    "send_complaint": {"id": "1", "post_id": "1"},
    "file_appeal": APPEAL,
    "read_appeal": APPEAL | {"state": "overturned", "outcome_id": "3"},
    "read_decisions": {
        "data": [DECISION | {"entered_at": "2026-03-01T09:31:03.310842Z"}],
        "next_cursor": "ZjE6MTc3MjM1NzQ2MzMxMDg0Mjox",
        "has_more": False,
    },
    "read_statement": {
        "puid": "2",
        "decision_visibility": ["DECISION_VISIBILITY_CONTENT_REMOVED"],
        "decision_ground": "DECISION_GROUND_INCOMPATIBLE_CONTENT",
        "incompatible_content_ground": "The rules against spam",
        "incompatible_content_explanation": "Scam",
        "incompatible_content_illegal": "No",
        "category": "STATEMENT_CATEGORY_SCAMS_AND_FRAUD",
        "content_type": ["CONTENT_TYPE_TEXT"],
        "content_date": "2026-03-01",
        "application_date": "2026-03-01",
        "decision_facts": "A person looked at the post and judged it as spam. 2 users had reported it.",
        "source_type": "SOURCE_TYPE_OTHER_NOTIFICATION",
        "automated_detection": "No",
        "automated_decision": "AUTOMATED_DECISION_NOT_AUTOMATED",
    },
    "reverse_decision": DECISION | {"id": "3", "verdict": "not_spam", "reverses": "2"},
    "read_cases": {"data": [CASE], "next_cursor": None},
    "read_case": CASE
    | {"parent": PAGE["parent"], "text": POST["text"], "links": [], "media_urls": [], "notes": []},
    "claim_cases": {"cases": [CASE], **LEASE},
    "hold_case": {"case": CASE, **LEASE},
    "decide_case": DECISION,
    "escalate_case": CASE | {"reason": "escalated", "is_escalated": True},
    "note_case": {
        "id": "3",
        "note": "Her shop is real, see her profile.",
        "written_at": "2026-03-01T09:32:00Z",
    },
    "ask_second_person": CASE | {"id": "9", "version": 2, "reason": "second", "spam_probability": None},
    "read_campaigns": {"data": [CAMPAIGN], "next_cursor": None},
    "read_members": {"data": [MEMBER], "next_cursor": None},
    "decide_campaign": {
        "id": "2",
        "campaign_id": "6",
        "verdict": "spam",
        "posts": 38,
        "state": "done",
        "decided_at": "2026-03-01T09:31:00Z",
        "effective_at": "2026-03-01T09:31:10Z",
    },
    "read_rules": {"data": [RULE], "next_cursor": None},
    "add_rule": RULE | {"state": "draft", "activated_at": None},
    "read_rule": RULE,
    "activate_rule": RULE,
    "backtest_rule": {
        "matches": 40,
        "judged": 12,
        "spam": 12,
        "not_spam": 0,
        "precision": 1.0,
        "interval": {"low": 0.76, "high": 1.0},
        "examples": [REFERENCE],
    },
    "read_drift": {"data": [DRIFT_ALARM], "next_cursor": None},
    "read_quality": QUALITY,
    "read_queue_figures": QUEUE,
    "read_reviewer_figures": REVIEWERS,
    "read_audit_log": {"data": [AUDIT_LINK], "next_cursor": "WzFd", "has_more": False},
    "read_audit_head": {"seq": 1, "hash": AUDIT_LINK["hash"]},
    "read_labels": {"data": [], "next_cursor": None},
    "read_label_changes": {
        "data": [
            {
                "change": "retracted",
                "id": "social/post-1001/2",
                "decision_id": "1",
                "entered_at": "2026-03-01T09:31:03.310842Z",
                "label": None,
            }
        ],
        "next_cursor": "ZjE6MTc3MjM1NzQ2MzMxMDg0Mjox",
        "has_more": False,
    },
    "draw_posts": DRAW | {"decided": 0, "waiting": 100},
    "read_draw": DRAW,
    "request_export": EXPORT | {"format": "parquet"},
    "read_export": EXPORT | {"format": "parquet"},
    "read_models": {"data": [MODEL]},
    "read_model": MODEL,
    "start_training": TRAINING_RUN,
    "read_training": TRAINING_RUN
    | {
        "state": "ready",
        "step": "evaluate",
        "started_at": "2026-03-01T09:30:02Z",
        "ended_at": "2026-03-01T09:33:40Z",
        "candidate": "9b2e07",
        "compared_with": RELEASE,
        "gate": {"asked": 16, "passed": 16, "verdict": "passed"},
    },
    "read_model_metrics": MODEL_METRICS,
    "roll_back": {"release": RELEASE, "replaces": "9b2e07", "at": "2026-03-01T10:00:00Z"},
    "replay_scores": REPLAY,
    "simulate_thresholds": SIMULATION,
    "read_proposals": {"data": [PROPOSAL], "next_cursor": None},
    "propose_release": PROPOSAL,
    "read_proposal": PROPOSAL,
    "confirm_proposal": PROPOSAL
    | {"state": "confirmed", "is_own": False, "closed_at": "2026-03-01T10:00:00Z"},
    "refuse_proposal": PROPOSAL | {"state": "refused", "closed_at": "2026-03-01T10:00:00Z"},
    "read_shadow_runs": {"data": [SHADOW_RUN], "next_cursor": None},
    "start_shadow_run": SHADOW_RUN,
    "read_shadow_run": SHADOW_RUN,
    "read_disagreements": {"data": [DISAGREEMENT], "next_cursor": None},
    "read_shadow_figures": SHADOW_FIGURES,
    "read_endpoints": {"data": [ENDPOINT]},
    "add_endpoint": ENDPOINT | {"secret": SECRET},
    "read_endpoint": ENDPOINT,
    "change_endpoint": ENDPOINT | {"state": "disabled", "state_reason": "disabled by the platform"},
    "rotate_secret": {
        "id": "9",
        "signature": "hmac",
        "public_key": "",
        "created_at": "2026-03-01T09:30:00Z",
        "expires_at": None,
        "secret": SECRET,
    },
    "read_deliveries": {"data": [DELIVERY], "next_cursor": None},
    "read_delivery": WHOLE_DELIVERY,
    "replay_delivery": WHOLE_DELIVERY | {"state": "waiting"},
}


def add_examples(result: dict[str, Any], **_: object) -> dict[str, Any]:
    """Add the examples to the document; a postprocessing hook of drf-spectacular."""
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
