"""The base of all answers: one definition gives their JSON and their schema in the OpenAPI document."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


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
