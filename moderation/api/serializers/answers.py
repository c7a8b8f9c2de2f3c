"""The base of all answers: one definition gives their JSON and their schema in the OpenAPI document."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.cursor_format import NextCursorField
from moderation.queries.keyset import Page


class AnswerSerializer(serializers.Serializer[Any]):
    """An answer. A field `x` is what `read_x` makes of the row, else the row's attribute or key."""

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Return the answer, its fields in the order in which they are declared."""
        answer = {}
        for name, field in self.fields.items():
            read = getattr(self, f"read_{name}", None)
            value = field.get_attribute(instance) if read is None else read(instance)
            answer[name] = None if value is None else field.to_representation(value)
        return answer


def page_of(row: type[AnswerSerializer], *, name: str, description: str) -> type[AnswerSerializer]:
    """Return the answer that is a keyset page of such rows, under its name in the OpenAPI document."""

    class PageSerializer(AnswerSerializer):
        data = row(many=True, source="rows")  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
        next_cursor = NextCursorField(allow_null=True)

        def read_next_cursor(self, page: Page[Any]) -> str | None:
            return page.next_cursor or None

    PageSerializer.__name__, PageSerializer.__doc__ = name, description
    return PageSerializer
