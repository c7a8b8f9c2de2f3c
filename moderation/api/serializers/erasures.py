"""Erasures and deletions of authors: answer formats."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.models import AuthorDeletion, Erasure
from moderation.models.erasures import ErasureKind
from moderation.operations.erasure import erase
from moderation.queries.cases import platform_cases
from moderation.queries.wire import instant


class ErasureSerializer(serializers.Serializer[Any]):
    """What was erased."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=ErasureKind.values)
    posts = serializers.IntegerField(
        help_text="Posts erased so far; of a very active author the rest follows."
    )
    erased_at = serializers.DateTimeField()


class AuthorDeletionSerializer(serializers.Serializer[Any]):
    """An author who deleted the account."""

    deleted_at = serializers.DateTimeField()
    waiting = serializers.IntegerField(help_text="Posts that people are still asked about.")
    erased_by = serializers.DateTimeField(help_text="The author is erased by then, or once nothing waits.")


def deleted(row: AuthorDeletion) -> dict[str, Any]:
    """Return an author's deletion as its platform sees it."""
    return {
        "deleted_at": instant(row.deleted_at),
        "waiting": platform_cases.waiting(author_id=row.author_id),
        "erased_by": instant(row.deleted_at + erase.AFTER_DELETION),
    }


def erased(row: Erasure) -> dict[str, Any]:
    """Return an erasure as its platform sees it."""
    return {
        "id": str(row.pk),
        "kind": row.kind,
        "posts": row.posts,
        "erased_at": instant(row.erased_at),
    }
