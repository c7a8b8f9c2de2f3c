"""Cases, claims and decisions: request and answer formats."""

import math
from datetime import datetime
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer, page_of
from moderation.api.serializers.cursors import KeysetField, PageQuerySerializer
from moderation.api.serializers.decisions import PostReferenceSerializer
from moderation.api.serializers.fields import OneOfField, TextField, WholeNumberField
from moderation.api.serializers.post_page import PostParentSerializer
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.models import Case, CaseNote
from moderation.models.cases import BLIND_REASONS, PLATFORM_REASONS, CaseState
from moderation.models.decisions import Verdict
from moderation.queries import parents
from moderation.queries.cases import platform_cases
from moderation.queries.parents import Parent
from moderation.queries.wire import reference

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
    cursor = KeysetField(float, int)


class CaseSerializer(AnswerSerializer):
    """A post that waits for a human, without its text, which `GET /cases/{id}` has."""

    id = serializers.CharField()
    version = serializers.IntegerField(help_text="Grows with every edit of the post and every decision.")
    state = serializers.ChoiceField(choices=CaseState.values)
    reason = serializers.ChoiceField(choices=PLATFORM_REASONS)
    priority = serializers.FloatField()
    is_escalated = serializers.BooleanField()
    post = PostReferenceSerializer()
    complaints = serializers.IntegerField(source="complaint_count")
    spam_probability = serializers.FloatField(
        allow_null=True, help_text="Null in cases that measure the filter: they are judged without it."
    )
    is_degraded = serializers.BooleanField(source="score.is_degraded")
    opened_at = serializers.DateTimeField()
    author_deleted_at = serializers.DateTimeField(
        source="post.author.deleted_at",
        allow_null=True,
        help_text="When the author deleted the account: then the verdict is for the filter alone.",
    )
    lease_end_at = serializers.DateTimeField(allow_null=True, help_text="Until when somebody holds it.")

    def read_post(self, row: Case) -> dict[str, Any]:
        return reference(row.post, revision=row.score.revision.number)

    def read_spam_probability(self, row: Case) -> float | None:
        is_blind = row.reason in BLIND_REASONS and row.state == CaseState.OPEN
        return None if is_blind else row.score.spam_probability

    def read_lease_end_at(self, row: Case) -> datetime | None:
        return row.lease_end_at if platform_cases.held(row, at=self.context["at"]) else None


CasePageSerializer = page_of(CaseSerializer, "Cases by expected harm.")


class CaseNoteSerializer(AnswerSerializer):
    """A note for the next reviewer."""

    # Without its writer: platforms never see moderators' names.
    id = serializers.CharField()
    note = serializers.CharField(source="text")
    written_at = serializers.DateTimeField()


class WholeCaseSerializer(CaseSerializer):
    """A case with the text of the post and its notes."""

    parent = PostParentSerializer(allow_null=True)
    text = serializers.CharField(source="score.revision.text")
    links = serializers.ListField(source="score.revision.links", child=serializers.CharField())
    media_urls = serializers.ListField(source="score.revision.media_urls", child=serializers.CharField())
    notes = CaseNoteSerializer(many=True)

    def read_parent(self, row: Case) -> Parent | None:
        return parents.parent(row.score.revision)

    def read_notes(self, row: Case) -> list[CaseNote]:
        return [note for note in row.notes.all() if note.text]


class ClaimRequestSerializer(StrictSerializer):
    """How many cases to claim."""

    count = WholeNumberField(
        min_value=1, max_value=MAX_CLAIMS, **OPTIONAL, default=1, help_text=f"At most {MAX_CLAIMS}."
    )


class ClaimsSerializer(AnswerSerializer):
    """The claimed cases."""

    cases = CaseSerializer(many=True)
    lease_end_at = serializers.DateTimeField(allow_null=True, help_text="Until then; null if none was free.")


class ClaimSerializer(AnswerSerializer):
    """One claimed case."""

    case = CaseSerializer()
    lease_end_at = serializers.DateTimeField()


class DecisionRequestSerializer(StrictSerializer):
    """The verdict on a claimed case."""

    verdict = OneOfField(choices=Verdict.values)
    version = WholeNumberField(min_value=1, help_text="The version of the case that was looked at.")
    reason = TextField(max_length=40, allow_blank=True, **OPTIONAL)
    note = TextField(max_length=2_000, allow_blank=True, **OPTIONAL)


class NoteRequestSerializer(StrictSerializer):
    """A note for the next reviewer."""

    note = TextField(max_length=2_000)


class HandOnRequestSerializer(StrictSerializer):
    """Why the case is escalated or sent to a second review."""

    note = TextField(max_length=2_000, allow_blank=True, **OPTIONAL)


class ReversalRequestSerializer(StrictSerializer):
    """Why a decision is taken back."""

    reason = TextField(max_length=40)
