"""Captions of a post's videos, as platforms send them: read at once, so that wrong ones are refused."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from moderation.api.serializers.fields import TextField
from moderation.api.serializers.language_field import LanguageField
from moderation.api.serializers.strict import StrictSerializer
from moderation.evidence.facts import Reason, Unreadable

MAX_TRANSCRIPTS = 5
MAX_CAPTIONS_LENGTH = 100_000
MAX_SOURCE_LENGTH = 64
_WHY = {
    Reason.WRONG_KIND: "Must be WebVTT, beginning with the line WEBVTT, or SRT, with at least one cue.",
    Reason.BROKEN: "Begins as WebVTT, but no cue with its times can be read.",
    Reason.TOO_LARGE: "Must have at most 200,000 bytes in UTF-8.",
}


class TranscriptSerializer(StrictSerializer):
    """What is said in a video of the post."""

    captions = TextField(max_length=MAX_CAPTIONS_LENGTH, help_text="The whole text of a WebVTT or SRT file.")
    language = LanguageField(required=False, allow_null=True, help_text="BCP 47.")
    source = TextField(  # type: ignore[assignment]  # a field named as an attribute of every field
        max_length=MAX_SOURCE_LENGTH,
        required=False,
        allow_blank=True,
        allow_null=True,
        help_text="Who wrote them, in your words, such as author or machine.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the cues in place of the file. Raises ValidationError for what is no captions."""
        from moderation.evidence import captions  # noqa: PLC0415 - few posts have any

        try:
            return captions.transcript(attrs)
        except Unreadable as unreadable:
            refusal = ErrorDetail(_WHY[unreadable.reason], code="not_captions")
            raise serializers.ValidationError({"captions": [refusal]}) from unreadable
