"""Erasures: answer format."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.models import Erasure
from moderation.models.erasures import ErasureKind
from moderation.queries.wire import instant


class ErasureSerializer(serializers.Serializer[Any]):
    """What was erased."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=ErasureKind.values)
    posts = serializers.IntegerField(
        help_text="Posts erased so far; of a very active author the rest follows."
    )
    erased_at = serializers.DateTimeField()


def erased(row: Erasure) -> dict[str, Any]:
    """Return an erasure as its platform sees it."""
    return {
        "id": str(row.pk),
        "kind": row.kind,
        "posts": row.posts,
        "erased_at": instant(row.erased_at),
    }
