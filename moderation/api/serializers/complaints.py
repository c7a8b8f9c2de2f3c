"""Complaints: request and answer formats."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer
from moderation.api.serializers.fields import InstantField, OneOfField, TextField
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.models.posts import ComplaintReason
from moderation.operations.posts.complaints import IncomingComplaint


class ReporterSerializer(StrictSerializer):
    """The account that complains."""

    external_id = TextField(max_length=200, help_text="Your id of the account.")


class ComplaintSerializer(StrictSerializer):
    """A user's report of a post. The post may arrive later."""

    external_id = TextField(
        max_length=200, allow_blank=True, **OPTIONAL, help_text="Your id of the complaint."
    )
    post = TextField(max_length=200, help_text="Your id of the post.")
    reporter = ReporterSerializer()
    reason = OneOfField(choices=ComplaintReason.values)
    note = TextField(max_length=2_000, allow_blank=True, **OPTIONAL)
    reported_at = InstantField()


class ComplaintAnswerSerializer(AnswerSerializer):
    """The answer to a stored complaint."""

    id = serializers.CharField()
    post_id = serializers.CharField(
        allow_null=True, help_text="Our id of the post; null until the post comes."
    )


def incoming(values: dict[str, Any]) -> IncomingComplaint:
    """Return validated fields as the operation takes them."""
    return IncomingComplaint(**{**values, "reporter": values["reporter"]["external_id"]})
