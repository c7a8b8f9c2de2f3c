"""Labels, exports of them, and draws of posts to be labelled."""

from datetime import datetime
from typing import Any

from rest_framework import serializers
from rest_framework.reverse import reverse

from moderation.api.serializers.answers import AnswerSerializer, DescribedSerializer, page_of
from moderation.api.serializers.cursors import KeysetField, NextCursorField, PageQuerySerializer
from moderation.api.serializers.fields import FlagField, InstantField, OneOfField
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.models import Export, FeedEntry
from moderation.models.cases import Lane
from moderation.models.exports import ExportFormat, ExportState
from moderation.operations.labels.draws import MOST_DAYS, MOST_POSTS
from moderation.queries.decisions.feeds import Page
from moderation.queries.labels import labels
from moderation.queries.labels.label_balance import DrawRow
from moderation.queries.labels.labels import SPLITS

DATASETS = ("labels",)
_LEFT_OUT = frozenset({"record"})
"""The record holds IP addresses and mail domains; only exports have it, for training."""


class LabelQuerySerializer(PageQuerySerializer):
    """Which labels to return."""

    since = InstantField(required=False)
    until = InstantField(required=False)
    cursor = KeysetField(datetime, int)


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


class LabelSerializer(DescribedSerializer):
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
    subject = serializers.CharField(required=False, help_text="Only of an account: `account`.")
    features = serializers.DictField(child=serializers.FloatField(allow_null=True))
    schema_hash = serializers.CharField()
    provenance = ProvenanceSerializer()

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        """Return a label without what is personal, the moderator's name included."""
        told = {name: value for name, value in instance.items() if name not in _LEFT_OUT}
        provenance = {name: value for name, value in told["provenance"].items() if name != "decided_by"}
        return told | {"provenance": provenance}


LabelPageSerializer = page_of(LabelSerializer, "Labels, the oldest first.")


class LabelChangeSerializer(AnswerSerializer):
    """A new label, or a retracted one."""

    change = serializers.ChoiceField(choices=("created", "retracted"))
    id = serializers.CharField()
    decision_id = serializers.CharField(help_text="One label for each decision; ids of labels may return.")
    entered_at = serializers.DateTimeField(
        help_text="When it entered this feed; never earlier than that of the change before it."
    )
    label = LabelSerializer(allow_null=True, help_text="Null where it was retracted.")  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own

    def read_change(self, entry: FeedEntry) -> str:
        return "retracted" if entry.is_retraction else "created"

    def read_id(self, entry: FeedEntry) -> str:
        return labels.name_of(entry.decision)

    def read_entered_at(self, entry: FeedEntry) -> datetime:
        return entry.entered_at or entry.due_at

    def read_label(self, entry: FeedEntry) -> dict[str, Any] | None:
        return None if entry.is_retraction else self.context["labels"][entry.decision_id]


class LabelChangePageSerializer(AnswerSerializer):
    """Changes of labels, in the order of the feed."""

    data = LabelChangeSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
    next_cursor = NextCursorField(
        source="end",
        allow_null=True,
        help_text="Where to continue, now or at the next poll; null before the first label.",
    )
    has_more = serializers.BooleanField(help_text="True if more can be read at once.")

    def read_data(self, page: Page) -> list[FeedEntry]:
        """Leave out a label that was retracted since: its retraction follows."""
        live = self.context["labels"]
        return [entry for entry in page.rows if entry.is_retraction or entry.decision_id in live]


class ExportRequestSerializer(StrictSerializer):
    """Which labels an export holds, and in which format."""

    dataset = OneOfField(choices=DATASETS, **OPTIONAL, default="labels")
    format = OneOfField(choices=ExportFormat.values, **OPTIONAL, default=ExportFormat.JSONL.value)
    weights = FlagField(
        **OPTIONAL, default=True, help_text="With a `weight` for each label: how many posts it stands for."
    )
    splits = serializers.ListField(
        child=OneOfField(choices=SPLITS),
        **OPTIONAL,
        default=list,
        max_length=len(SPLITS),
        help_text="Only these; empty for all.",
    )

    since = InstantField(**OPTIONAL)
    until = InstantField(**OPTIONAL)
    after = serializers.CharField(
        **OPTIONAL,
        min_length=1,
        max_length=20,
        help_text="The id of an earlier export of yours: only what changed since, retracted labels included.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a time window together with `after`."""
        if attrs.get("after") is not None and (attrs.get("since") or attrs.get("until")):
            raise serializers.ValidationError({"after": "Name an export or a time, not both."})
        return attrs


class ExportSerializer(AnswerSerializer):
    """The state and progress of an export."""

    id = serializers.CharField()
    state = serializers.ChoiceField(choices=ExportState.values)
    format = serializers.ChoiceField(choices=ExportFormat.values)
    requested_at = serializers.DateTimeField()
    rows = serializers.IntegerField(source="rows_written", help_text="Written so far.")
    rows_expected = serializers.IntegerField(help_text="All splits together, once it is being built.")
    manifest = serializers.DictField(
        allow_null=True, help_text="With the file's format and sha256, once it is ready."
    )
    file = serializers.CharField(allow_null=True, help_text="Where to get it, once it is ready.")
    error = serializers.CharField()

    def read_manifest(self, row: Export) -> dict[str, Any] | None:
        return row.manifest if row.state == ExportState.READY else None

    def read_file(self, row: Export) -> str | None:
        return reverse("api:export-file", args=[str(row.pk)]) if row.state == ExportState.READY else None


class DrawRequestSerializer(StrictSerializer):
    """How many posts to draw, from how many days."""

    posts = serializers.IntegerField(min_value=1, max_value=MOST_POSTS, **OPTIONAL, default=100)
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, **OPTIONAL, default=7)


class DrawSerializer(AnswerSerializer):
    """A draw, and how many of its posts were decided."""

    id = serializers.CharField(source="draw.pk")
    asked_at = serializers.DateTimeField(source="draw.asked_at")
    days = serializers.IntegerField(source="draw.days")
    drawn = serializers.IntegerField(source="draw.drawn")
    population = serializers.IntegerField(
        source="draw.population", help_text="From how many posts they were drawn."
    )
    decided = serializers.IntegerField()
    waiting = serializers.IntegerField()
    is_cancelled = serializers.BooleanField()

    def read_is_cancelled(self, row: DrawRow) -> bool:
        return row.draw.cancelled_at is not None
