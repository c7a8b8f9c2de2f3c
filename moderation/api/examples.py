"""Examples of the OpenAPI document: a body per operation that takes one, and an answer drawn from its schema.

tests/journeys/test_contract.py sends the requests.
"""

from collections.abc import Mapping
from typing import Any

_RELEASE = "3f1c5a"
_POST = {
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

REQUESTS: dict[str, Any] = {
    "send_post": _POST,
    "send_posts": _POST,
    "score_post": _POST,
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
    "add_rule": {
        "effect": "ban",
        "kind": "domain",
        "value": "evil.example",
        "reason": "sells pills",
        "expires_at": "2100-01-01T00:00:00Z",
    },
    "draw_posts": {"posts": 100, "days": 7},
    "request_export": {
        "format": "parquet",
        "since": "2026-01-01T00:00:00Z",
        "weights": True,
        "splits": ["train"],
    },
    "simulate_thresholds": {"thresholds": {"review_from": 0.2}, "days": 30, "precision": 0.99},
    "roll_back": {"live": "9b2e07", "to": _RELEASE},
    "replay_scores": {
        "range": {"since": "2026-02-01T00:00:00Z", "until": "2026-03-01T00:00:00Z", "limit": 100},
        "release": _RELEASE,
    },
    "propose_release": {"thresholds": {"review_from": 0.2}, "reason": "Too many cases at night"},
    "start_shadow_run": {"training_run": "3", "share": 0.5},
    "add_endpoint": {"url": "https://hooks.example/spamdesk", "events": ["decision.reversed"]},
    "change_endpoint": {"is_active": False},
    "rotate_secret": {"signature": "ed25519", "overlap_hours": 48},
}

_VALUES: dict[str, Any] = {
    "action": "decision.created",
    "base": -3.1,
    "candidate": "9b2e07",
    "compared_with": _RELEASE,
    "contribution": 0.12,
    "content_probability": 0.44,
    "detail": "There is no such post.",
    "details": {"post": 1, "case": 7, "verdict": "spam", "source": "moderator"},
    "display_name": "Rosa",
    "domain": "evil.example",
    "error": "",
    "event": "decision.created",
    "external_id": "post-1001",
    "feature": "social.followers",
    "features": {"social.followers": 12.0},
    "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "high": 0.99,
    "language": "en",
    "last_error": "",
    "low": 0.9,
    "median_seconds": 5_400.0,
    "name": "Ada Lead",
    "note": "Her shop is real, see her profile.",
    "p90_seconds": 14_400.0,
    "part": "complete",
    "posts": 40,
    "precision": 0.97,
    "probabilities": [[0.6132, 0.0079], [0.0125, 0.4340]],
    "public_key": "",
    "reason": "scam",
    "release": _RELEASE,
    "remove_from": 0.95,
    "replaces": _RELEASE,
    "review_from": 0.11,
    "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",  # the specification's own example
    "slice": "social",
    "split": "test",
    "spam_probability": 0.62,
    "sub_models": {"content": 0.44, "ip_url": 0.71, "behaviour": None, "feedback": None},
    "text": "Has anybody seen my grey cat near the river?",
    "title": "Your parcel waits",
    "topics": ["cryptocurrency, bitcoin or tokens", "music"],
    "trait": "golden harvest",
    "url": "https://parcel.example/pay",
}
"""What fields of this name hold in an example; others hold something of their type."""
_BY_TYPE: dict[str, Any] = {"integer": 2, "number": 0.5, "boolean": False, "object": {}}
_BY_FORMAT = {"date-time": "2026-03-01T09:30:00Z", "date": "2026-03-01", "uri": "https://parcel.example/pay"}


def add_examples(result: dict[str, Any], **_: object) -> dict[str, Any]:
    """Add the examples to the document; a postprocessing hook of drf-spectacular."""
    schemas = result["components"]["schemas"]
    for methods in result["paths"].values():
        for operation in methods.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                content["example"] = REQUESTS[operation["operationId"]]
            for status, response in operation["responses"].items():
                content = response.get("content", {}).get("application/json")
                if status.startswith("2") and content is not None:
                    content["example"] = _example(content["schema"], schemas)
    return result


def _example(schema: Mapping[str, Any], schemas: Mapping[str, Any], *, name: str = "") -> Any:
    """Return a value that fits the schema, by the field's name where it is known."""
    parts = [schema[part][0] for part in ("allOf", "oneOf", "anyOf") if part in schema]
    if "$ref" in schema:
        parts = [schemas[schema["$ref"].rpartition("/")[2]]]
    if parts:
        return _example(parts[0], schemas, name=name)
    if "properties" in schema:
        return {key: _example(value, schemas, name=key) for key, value in schema["properties"].items()}
    types = schema.get("type", "object")
    kind = types if isinstance(types, str) else types[0]
    if kind == "array" and name not in _VALUES:
        return [_example(schema["items"], schemas, name=name.removesuffix("s"))]
    return _plain(schema, kind=kind, name=name, is_nullable=kind != types)


def _plain(schema: Mapping[str, Any], *, kind: str, name: str, is_nullable: bool) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if name in _VALUES:
        return _VALUES[name]
    if is_nullable:
        return None
    if kind != "string":
        return _BY_TYPE[kind]
    return _BY_FORMAT.get(schema.get("format", ""), "2" if name.endswith("id") else "string")
