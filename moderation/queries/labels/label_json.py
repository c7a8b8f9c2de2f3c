"""A label as JSON, in the one form of the API, of exports and of increments.

Written around JSON that is stored already: parsing every record only to write it out again would be most of
the time of an export.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from moderation.models.posts import Subject
from scoring.splits import split_of

LABEL_SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelValues:
    """What a label says but for features and record.

    `sample` is audit, draw, review, disagreement or empty; `lane` that by which the case was claimed, empty
    if by none. `content_score` is in base64, None where no content model was asked.
    """

    name: str
    text: str
    language: str
    is_spam: bool
    group: str
    schema_hash: str
    decided_by: str | None
    decided_at: datetime
    reason: str
    release: str
    spam_probability: float
    is_degraded: bool
    is_random: bool
    audit_probability: float
    decision_id: int
    sample: str
    lane: str
    content_score: str | None
    content_model: str
    subject: str

    @property
    def split(self) -> str:
        """Return the split of the label's group."""
        return split_of(self.group).value


def line(values: LabelValues, *, features: str, record: str, has_weights: bool) -> bytes:
    """Return the line of a label; `features` are the members of their object, `record` is JSON."""
    head = _json(_head(values, has_weights=has_weights))[:-1]
    return (
        f'{head}, "features": {{{features}}}, "schema_hash": {_json(values.schema_hash)}, "record": {record},'
        f' "provenance": {_json(_provenance(values))}}}\n'
    ).encode()


def tombstone(name: str, *, decision_id: int, has_weights: bool) -> bytes:
    """Return the line that withdraws a label: only its names are left."""
    gone = {
        "schema_version": LABEL_SCHEMA_VERSION,
        "id": name,
        "text": "",
        "lang": "",
        "label": None,
        "group": "",
        "split": "",
        **({"weight": None} if has_weights else {}),
        "features": {},
        "schema_hash": "",
        "record": {},
        "provenance": {"decision_id": str(decision_id)},
    }
    return f"{_json(gone)}\n".encode()


def weight_of(*, audit_probability: float, is_audit_sample: bool) -> float:
    """Return the weight of a label: 1 over the probability that its post reached a human.

    Weighted labels estimate all posts without bias (Horvitz and Thompson 1952). 0 for a label that came by a
    complaint, an appeal or a second review, or by the queue's order where the review route is drawn from: it
    represents no other post.
    """
    is_by_chance = is_audit_sample or audit_probability >= 1.0
    return 1.0 / audit_probability if is_by_chance and audit_probability else 0.0


def _head(values: LabelValues, *, has_weights: bool) -> dict[str, Any]:
    # Disagreements of a shadow run were drawn among themselves: they stand for no other posts.
    weight = (
        1.0
        if values.sample == "disagreement"
        else weight_of(audit_probability=values.audit_probability, is_audit_sample=values.is_random)
    )
    return {
        "schema_version": LABEL_SCHEMA_VERSION,
        "id": values.name,
        "text": values.text,
        "lang": values.language,
        "label": int(values.is_spam),
        "group": values.group,
        "split": values.split,
        **({"weight": weight} if has_weights else {}),
        **({"subject": values.subject} if values.subject == Subject.ACCOUNT else {}),
    }


def _provenance(values: LabelValues) -> dict[str, Any]:
    return {
        "decided_by": values.decided_by,
        "decided_at": values.decided_at.isoformat(),
        "reason": values.reason,
        "release": values.release,
        "spam_probability": values.spam_probability,
        "is_degraded": values.is_degraded,
        "is_audit_sample": values.is_random,
        "audit_probability": values.audit_probability,
        "decision_id": str(values.decision_id),
        "sample": values.sample,
        "lane": values.lane,
        "content_score": values.content_score,
        "content_model": values.content_model,
    }


_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
