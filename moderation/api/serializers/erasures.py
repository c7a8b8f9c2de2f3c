"""Erasures and deletions of authors: answer formats."""

from __future__ import annotations

from datetime import datetime

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer
from moderation.models import AuthorDeletion
from moderation.models.erasures import ErasureKind
from moderation.operations.erasure import erase
from moderation.queries.cases import platform_cases


class ErasureSerializer(AnswerSerializer):
    """What was erased."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=ErasureKind.values)
    posts = serializers.IntegerField(
        help_text="Posts erased so far; of a very active author the rest follows."
    )
    erased_at = serializers.DateTimeField()


class AuthorDeletionSerializer(AnswerSerializer):
    """An author who deleted the account."""

    deleted_at = serializers.DateTimeField()
    waiting = serializers.IntegerField(help_text="Posts that people are still asked about.")
    erased_by = serializers.DateTimeField(help_text="The author is erased by then, or once nothing waits.")

    def read_waiting(self, row: AuthorDeletion) -> int:
        return platform_cases.waiting(author_id=row.author_id)

    def read_erased_by(self, row: AuthorDeletion) -> datetime:
        return row.deleted_at + erase.AFTER_DELETION
