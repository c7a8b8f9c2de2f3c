"""Canaries, in requests and answers."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.cursor_format import NextCursorField
from moderation.api.serializers.fields import TextField
from moderation.api.serializers.keyset import KeysetField, PageQuerySerializer
from moderation.api.serializers.quality import EstimateSerializer
from moderation.api.serializers.simulations import NumberField
from moderation.api.serializers.strict import StrictSerializer
from moderation.models import CanaryRun
from moderation.models.canary import CanaryEnd
from moderation.operations.learning.canary import MOST_SHARE
from moderation.queries.wire import instant

_STATES = ("proposed", "running", "ended")


class CanariesQuerySerializer(PageQuerySerializer):
    """Which page of canaries."""

    cursor = KeysetField(kinds=(int,), required=False)


class CanaryRequestSerializer(StrictSerializer):
    """Whose candidate decides for which share of authors."""

    shadow_run = TextField(max_length=20, help_text="The shadow run of the candidate.")
    share = NumberField(min_value=0.001, max_value=MOST_SHARE, help_text="Of authors.")


class ArmFigureSerializer(serializers.Serializer[Any]):
    """A figure of the live release's authors and of the candidate's."""

    name = serializers.CharField(
        help_text="`precision` of removals, `missed`: spam let through, `taken_back`: removals corrected."
    )
    live = EstimateSerializer()
    candidate = EstimateSerializer()
    is_worse = serializers.BooleanField(help_text="Whether the candidate is certainly worse.")


class CanarySerializer(serializers.Serializer[Any]):
    """A candidate that decides for a share of authors."""

    id = serializers.CharField()
    state = serializers.ChoiceField(choices=_STATES)
    shadow_run = serializers.CharField()
    candidate = serializers.CharField()
    compared_with = serializers.CharField(help_text="The release that decides for the other authors.")
    share = serializers.FloatField(help_text="Of authors.")
    is_own = serializers.BooleanField(help_text="Whether your key's person proposed it: another confirms it.")
    proposed_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    stopped_at = serializers.DateTimeField(allow_null=True)
    end = serializers.ChoiceField(choices=("", *CanaryEnd.values), help_text="Why it ended; empty before.")
    failures = serializers.IntegerField(help_text="Batches that the live release had to score.")
    figures = ArmFigureSerializer(
        many=True, allow_null=True, help_text="Null while other platforms share the installation."
    )


class CanaryPageSerializer(serializers.Serializer[Any]):
    """Canaries, the newest first."""

    data = CanarySerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
    next_cursor = NextCursorField(allow_null=True)


def canary(row: CanaryRun, *, person_id: int | None, is_alone: bool) -> dict[str, Any]:
    """Return a canary as the key of a person, or of nobody, reads it; figures are of all platforms' posts."""
    return {
        "id": str(row.pk),
        "state": "running" if row.is_running else "proposed" if row.is_open else "ended",
        "shadow_run": str(row.shadow_id),
        "candidate": row.candidate,
        "compared_with": row.live,
        "share": row.share,
        "is_own": row.proposed_by_id == person_id,
        "proposed_at": instant(row.proposed_at),
        "started_at": instant(row.started_at) if row.started_at else None,
        "stopped_at": instant(row.stopped_at) if row.stopped_at else None,
        "end": row.end,
        "failures": row.failures,
        "figures": list(row.figures) if is_alone else None,
    }
