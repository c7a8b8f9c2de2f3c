"""Roll-backs of the live release, in requests and answers."""

from __future__ import annotations

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer
from moderation.api.serializers.fields import TextField
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer


class RollbackRequestSerializer(StrictSerializer):
    """Which release should no longer be live."""

    live = TextField(
        min_length=1,
        max_length=64,
        help_text="The release that is live now, so that a repeated request rolls nothing back twice.",
    )
    to = TextField(
        min_length=1,
        max_length=64,
        **OPTIONAL,
        help_text="The kept release that should be live; the one before if you leave it out.",
    )


class RollbackSerializer(AnswerSerializer):
    """An earlier release that is live again."""

    release = serializers.CharField(source="release_id")
    replaces = serializers.CharField(source="replaced_id")
    at = serializers.DateTimeField()
