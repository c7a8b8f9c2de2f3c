"""Cases, claims and decisions: request and answer formats."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.decisions import PostReferenceSerializer
from moderation.api.serializers.fields import OneOfField, TextField, WholeNumberField
from moderation.api.serializers.keyset import KeysetField, PageQuerySerializer, page_format
from moderation.api.serializers.post_page import PostParentSerializer, parent
from moderation.api.serializers.strict import StrictSerializer
from moderation.models import Case, CaseNote
from moderation.models.cases import BLIND_REASONS, PLATFORM_REASONS, CaseState
from moderation.models.decisions import Verdict
from moderation.queries import parents
from moderation.queries.cases import platform_cases
from moderation.queries.wire import instant

MAX_CLAIMS = 50


class PriorityField(serializers.FloatField):
    """A priority in a query."""

    def to_internal_value(self, data: Any) -> float:
        """Return a finite number."""
        value = super().to_internal_value(data)
        if not math.isfinite(value):
            self.fail("invalid")
        return value


class CaseQuerySerializer(PageQuerySerializer):
    """Filter and order of cases."""

    state = OneOfField(choices=CaseState.values, required=False, default=CaseState.OPEN)
    queue = OneOfField(
        choices=PLATFORM_REASONS,
        required=False,
        help_text="Only cases of this reason.",
    )
    priority_gte = PriorityField(required=False)
    campaign = TextField(max_length=20, required=False, help_text="Only cases of this campaign.")
    model = TextField(max_length=64, required=False, help_text="Only cases that this release scored.")
    sort = OneOfField(
        choices=list(platform_cases.SORTS),
        required=False,
        default="harm",
        help_text="The largest first. A cursor belongs to the order that it came from.",
    )
    cursor = KeysetField(kinds=(float, int), required=False)


class CaseSerializer(serializers.Serializer[Any]):
    """A post that waits for a human, without its text, which `GET /cases/{id}` has."""

    id = serializers.CharField()
    version = serializers.IntegerField(help_text="Grows with every edit of the post and every decision.")
    state = serializers.ChoiceField(choices=CaseState.values)
    reason = serializers.ChoiceField(choices=PLATFORM_REASONS)
    priority = serializers.FloatField()
    is_escalated = serializers.BooleanField()
    post = PostReferenceSerializer()
    complaints = serializers.IntegerField()
    spam_probability = serializers.FloatField(
        allow_null=True, help_text="Null in cases that measure the filter: they are judged without it."
    )
    is_degraded = serializers.BooleanField()
    opened_at = serializers.DateTimeField()
    author_deleted_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When the author deleted the account: then the verdict is for the filter alone.",
    )
    lease_end_at = serializers.DateTimeField(allow_null=True, help_text="Until when somebody holds it.")


CasePageSerializer = page_format(CaseSerializer, about="Cases by expected harm.")


class CaseNoteSerializer(serializers.Serializer[Any]):
    """A note for the next reviewer."""

    id = serializers.CharField()
    note = serializers.CharField()
    written_at = serializers.DateTimeField()


class WholeCaseSerializer(CaseSerializer):
    """A case with the text of the post and its notes."""

    parent = PostParentSerializer(allow_null=True)
    text = serializers.CharField()
    links = serializers.ListField(child=serializers.CharField())
    media_urls = serializers.ListField(child=serializers.CharField())
    notes = CaseNoteSerializer(many=True)


class ClaimRequestSerializer(StrictSerializer):
    """How many cases to claim."""

    count = WholeNumberField(
        min_value=1,
        max_value=MAX_CLAIMS,
        required=False,
        allow_null=True,
        default=1,
        help_text=f"At most {MAX_CLAIMS}.",
    )


class ClaimsSerializer(serializers.Serializer[Any]):
    """The claimed cases."""

    cases = CaseSerializer(many=True)
    lease_end_at = serializers.DateTimeField(allow_null=True, help_text="Until then; null if none was free.")


class ClaimSerializer(serializers.Serializer[Any]):
    """One claimed case."""

    case = CaseSerializer()
    lease_end_at = serializers.DateTimeField()


class DecisionRequestSerializer(StrictSerializer):
    """The verdict on a claimed case."""

    verdict = OneOfField(choices=Verdict.values)
    version = WholeNumberField(min_value=1, help_text="The version of the case that was looked at.")
    reason = TextField(max_length=40, required=False, allow_blank=True, allow_null=True)
    note = TextField(max_length=2_000, required=False, allow_blank=True, allow_null=True)


class NoteRequestSerializer(StrictSerializer):
    """A note for the next reviewer."""

    note = TextField(max_length=2_000)


class HandOnRequestSerializer(StrictSerializer):
    """Why the case is escalated or sent to a second review."""

    note = TextField(max_length=2_000, required=False, allow_blank=True, allow_null=True)


class ReversalRequestSerializer(StrictSerializer):
    """Why a decision is taken back."""

    reason = TextField(max_length=40)


def case(row: Case, *, at: datetime) -> dict[str, Any]:
    """Return a case that was loaded with its post and score."""
    is_blind = row.reason in BLIND_REASONS and row.state == CaseState.OPEN
    return {
        "id": str(row.pk),
        "version": row.version,
        "state": row.state,
        "reason": row.reason,
        "priority": row.priority,
        "is_escalated": row.is_escalated,
        "post": {
            "id": str(row.post_id),
            "external_id": row.post.external_id,
            "revision": row.score.revision.number,
        },
        "complaints": row.complaint_count,
        "spam_probability": None if is_blind else row.score.spam_probability,
        "is_degraded": row.score.is_degraded,
        "opened_at": instant(row.opened_at),
        "author_deleted_at": instant(deleted_at) if (deleted_at := row.post.author.deleted_at) else None,
        "lease_end_at": instant(row.lease_end_at)
        if row.lease_end_at and platform_cases.held(row, at=at)
        else None,
    }


def whole_case(row: Case, *, at: datetime) -> dict[str, Any]:
    """Return a case with the text of its post and its notes."""
    revision = row.score.revision
    answered = parents.parent(revision)
    return case(row, at=at) | {
        "parent": parent(answered) if answered else None,
        "text": revision.text,
        "links": revision.links,
        "media_urls": revision.media_urls,
        "notes": [note(one) for one in row.notes.all() if one.text],
    }


def note(row: CaseNote) -> dict[str, Any]:
    """Return a note without its writer: platforms never see moderators' names."""
    return {"id": str(row.pk), "note": row.text, "written_at": instant(row.written_at)}
