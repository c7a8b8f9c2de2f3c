"""Labels with everything a training run needs; as lines of a file in label_lines.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from moderation.models import Decision, Label
from moderation.queries import keyset
from moderation.queries.decisions.feeds import Position
from moderation.queries.keyset import Key, Page
from scoring.splits import Split, split_of

LABEL_SCHEMA_VERSION = 1
_RELATED = (
    "decision__decided_by",
    "decision__score",
    "decision__revision",
    "decision__case",
    "post__platform",
)
SPLITS = tuple(split.value for split in Split)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFilter:
    """Labels given at or after `since` and before `until`, None leaving a side open, of one platform or all.

    Never retracted ones, and none of erased posts. `splits` are those that an export holds, empty for all.
    `after` asks for what changed since an earlier export, by platform: then retractions are told, too.
    """

    since: datetime | None = None
    until: datetime | None = None
    platform_id: int | None = None
    splits: tuple[str, ...] = ()
    after: Mapping[str, Position] | None = None


def count(*, wanted: LabelFilter) -> int:
    """Return how many labels an export with this filter would hold, all splits together."""
    return _labels(wanted).count()


def page(*, wanted: LabelFilter, after: Key | None, limit: int) -> Page[dict[str, Any]]:
    """Return labels, the oldest first."""
    labels = _labels(wanted).select_related(*_RELATED)
    return keyset.page(labels, order=("labelled_at", "pk"), after=after, limit=limit).of(
        lambda found: map(_row, found)
    )


def live(*, decision_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return the labels of decisions by those, without retracted ones and those of erased posts."""
    found = _labels(LabelFilter()).filter(decision__in=decision_ids).select_related(*_RELATED)
    return {label.decision_id: _row(label) for label in found}


def name_of(decision: Decision) -> str:
    """Return what a label is called: its post and revision."""
    post = decision.post
    return f"{post.platform.slug}/{post.external_id}/{decision.revision.number}"


def weight_of(*, audit_probability: float, is_audit_sample: bool) -> float:
    """Return for how many posts a label stands: 1 over the chance that its post reached a human.

    Weighted so, what labels say holds of all posts (Horvitz and Thompson 1952). 0 for a label that came
    another way, by a complaint, an appeal or a second look: it stands for no other post.
    """
    is_by_chance = is_audit_sample or audit_probability >= 1.0
    return 1.0 / audit_probability if is_by_chance and audit_probability else 0.0


def _labels(wanted: LabelFilter) -> QuerySet[Label]:
    labels = Label.objects.filter(retracted_at__isnull=True, post__erased_at__isnull=True).order_by(
        "labelled_at", "id"
    )
    if wanted.since is not None:
        labels = labels.filter(labelled_at__gte=wanted.since)
    if wanted.until is not None:
        labels = labels.filter(labelled_at__lt=wanted.until)
    if wanted.platform_id is not None:
        labels = labels.filter(post__platform=wanted.platform_id)
    return labels


def _row(label: Label) -> dict[str, Any]:
    decision, score, revision = label.decision, label.decision.score, label.decision.revision
    drawn = decision.case if decision.case is not None and decision.case.draw_id is not None else None
    chance = (drawn and drawn.audit_probability) or score.audit_probability
    is_random = score.is_audit_sample or drawn is not None
    return {
        "schema_version": LABEL_SCHEMA_VERSION,
        "id": f"{label.post.platform.slug}/{label.post.external_id}/{revision.number}",
        "text": revision.text,
        "lang": revision.language,
        "label": int(label.is_spam),
        "group": str(label.similarity_group),
        "split": split_of(str(label.similarity_group)).value,
        "weight": weight_of(audit_probability=chance, is_audit_sample=is_random),
        "features": {name: value for name, value, _ in score.contributions},
        "schema_hash": score.schema_hash,
        "record": score.record,
        "provenance": {
            "decided_by": decision.decided_by.username if decision.decided_by else None,
            "decided_at": decision.decided_at.isoformat(),
            "reason": decision.reason,
            "release": score.release_id,
            "spam_probability": score.spam_probability,
            "is_degraded": score.is_degraded,
            "is_audit_sample": is_random,
            "audit_probability": chance,
            "decision_id": str(decision.pk),
            "sample": "draw" if drawn else "audit" if score.is_audit_sample else "",
        },
    }
