"""Labels and exports of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.cursor_format import NextCursorField
from moderation.api.serializers.feed_cursor import CursorField
from moderation.api.serializers.fields import FlagField, InstantField, OneOfField
from moderation.api.serializers.keyset import KeysetField, PageQuerySerializer, page_format
from moderation.api.serializers.strict import StrictSerializer
from moderation.models import Export, FeedEntry
from moderation.models.cases import Lane
from moderation.models.exports import ExportFormat, ExportState
from moderation.queries.labels import labels
from moderation.queries.labels.labels import SPLITS
from moderation.queries.wire import instant

DATASETS = ("labels",)
_LEFT_OUT = frozenset({"record"})
"""The record holds IP addresses and mail domains; only exports have it, for training."""


class LabelQuerySerializer(PageQuerySerializer):
    """Which labels to return."""

    since = InstantField(required=False)
    until = InstantField(required=False)
    cursor = KeysetField(kinds=(datetime, int), required=False)


class ProvenanceSerializer(serializers.Serializer[Any]):
    """Where a label comes from."""

    decided_at = serializers.CharField()
    reason = serializers.CharField()
    release = serializers.CharField()
    spam_probability = serializers.FloatField()
    is_degraded = serializers.BooleanField()
    is_audit_sample = serializers.BooleanField()
    audit_probability = serializers.FloatField()
    decision_id = serializers.CharField(help_text="The id by which a retraction names it.")
    sample = serializers.ChoiceField(
        choices=("", "audit", "draw", "review", "disagreement"),
        help_text="The random sample by which the post came to a human; empty if none.",
    )
    lane = serializers.ChoiceField(
        choices=("", *Lane.values),
        help_text="The lane of the queue that handed out its case; empty if none did.",
    )


class LabelSerializer(serializers.Serializer[Any]):
    """A human decision as a training target."""

    schema_version = serializers.IntegerField()
    id = serializers.CharField()
    text = serializers.CharField()
    lang = serializers.CharField()
    label = serializers.IntegerField(help_text="1 spam, 0 not spam.")  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
    group = serializers.CharField(help_text="Near-duplicates share it.")
    split = serializers.CharField()
    weight = serializers.FloatField(
        help_text="How many posts it stands for; 0 if it was not drawn at random."
    )
    features = serializers.DictField(child=serializers.FloatField(allow_null=True))
    schema_hash = serializers.CharField()
    provenance = ProvenanceSerializer()


LabelPageSerializer = page_format(LabelSerializer, about="Labels, the oldest first.")


class LabelChangeQuerySerializer(PageQuerySerializer):
    """Which changes to return."""

    since = InstantField(
        required=False,
        help_text="Only changes with this `entered_at` or a later one. Yours of last time, not your clock.",
    )
    cursor = CursorField(required=False)


class LabelChangeSerializer(serializers.Serializer[Any]):
    """A new label, or a retracted one."""

    change = serializers.ChoiceField(choices=("created", "retracted"))
    id = serializers.CharField()
    decision_id = serializers.CharField(help_text="One label for each decision; ids of labels may return.")
    entered_at = serializers.DateTimeField(
        help_text="When it entered this feed; never earlier than that of the change before it."
    )
    label = LabelSerializer(allow_null=True, help_text="Null where it was retracted.")  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own


class LabelChangePageSerializer(serializers.Serializer[Any]):
    """Changes of labels, in the order of the feed."""

    data = LabelChangeSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
    next_cursor = NextCursorField(
        allow_null=True, help_text="Where to continue, now or at the next poll; null before the first label."
    )
    has_more = serializers.BooleanField(help_text="True if more can be read at once.")


class ExportRequestSerializer(StrictSerializer):
    """Which labels an export holds, and in which format."""

    dataset = OneOfField(choices=DATASETS, required=False, allow_null=True, default="labels")
    format = OneOfField(
        choices=ExportFormat.values, required=False, allow_null=True, default=ExportFormat.JSONL.value
    )
    weights = FlagField(
        required=False,
        allow_null=True,
        default=True,
        help_text="With a `weight` for each label: how many posts it stands for.",
    )
    splits = serializers.ListField(
        child=OneOfField(choices=SPLITS),
        required=False,
        allow_null=True,
        default=list,
        max_length=len(SPLITS),
        help_text="Only these; empty for all.",
    )

    since = InstantField(required=False, allow_null=True)
    until = InstantField(required=False, allow_null=True)
    after = serializers.CharField(
        required=False,
        allow_null=True,
        min_length=1,
        max_length=20,
        help_text="The id of an earlier export of yours: only what changed since, retracted labels included.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a time window together with `after`."""
        if attrs.get("after") is not None and (attrs.get("since") or attrs.get("until")):
            raise serializers.ValidationError({"after": "Name an export or a time, not both."})
        return attrs


class ExportSerializer(serializers.Serializer[Any]):
    """The state and progress of an export."""

    id = serializers.CharField()
    state = serializers.ChoiceField(choices=ExportState.values)
    format = serializers.ChoiceField(choices=ExportFormat.values)
    requested_at = serializers.DateTimeField()
    rows = serializers.IntegerField(help_text="Written so far.")
    rows_expected = serializers.IntegerField(help_text="All splits together, once it is being built.")
    manifest = serializers.DictField(
        allow_null=True, help_text="With the file's format and sha256, once it is ready."
    )
    file = serializers.CharField(allow_null=True, help_text="Where to get it, once it is ready.")
    error = serializers.CharField()


def label(row: dict[str, Any]) -> dict[str, Any]:
    """Return a label without what is personal, the moderator's name included."""
    told = {name: value for name, value in row.items() if name not in _LEFT_OUT}
    provenance = {name: value for name, value in row["provenance"].items() if name != "decided_by"}
    return told | {"provenance": provenance}


def change(entry: FeedEntry, *, row: dict[str, Any] | None) -> dict[str, Any]:
    """Return a change of a label; `row` is the label, None where it was retracted."""
    decision = entry.decision
    return {
        "change": "retracted" if row is None else "created",
        "id": labels.name_of(decision),
        "decision_id": str(decision.pk),
        "entered_at": instant(entry.entered_at or entry.due_at),
        "label": row and label(row),
    }


def export(row: Export, *, file: str) -> dict[str, Any]:
    """Return an export; `file` is where its file is found."""
    is_ready = row.state == ExportState.READY
    return {
        "id": str(row.pk),
        "state": row.state,
        "format": row.format,
        "requested_at": instant(row.requested_at),
        "rows": row.rows_written,
        "rows_expected": row.rows_expected,
        "manifest": row.manifest if is_ready else None,
        "file": file if is_ready else None,
        "error": row.error,
    }
