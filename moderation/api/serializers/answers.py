"""The base of all answers: one definition gives their JSON and their schema; and the shape of a problem."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.utils.functional import cached_property
from rest_framework import serializers
from rest_framework.fields import get_attribute

from moderation.api.serializers.cursors import NextCursorField
from moderation.queries.wire import instant


class AnswerSerializer(serializers.Serializer[Any]):
    """An answer. A field `x` is what `read_x` makes of the row, else the row's attribute or key."""

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Return the answer, its fields in the order in which they are declared."""
        answer = {}
        for name, read, write in self._steps:
            value = read(instance)
            answer[name] = None if value is None else write(value)
        return answer

    @cached_property
    def _steps(self) -> list[tuple[str, Callable[[Any], Any], Callable[[Any], Any]]]:
        """How each field is read from a row, and written: looked up once for all rows of a page.

        Where null is allowed, DRF itself gives null for an attribute that does not exist; here that fails.
        """
        return [
            (
                name,
                getattr(self, f"read_{name}", partial(get_attribute, attrs=field.source_attrs)),
                instant if isinstance(field, serializers.DateTimeField) else field.to_representation,
            )
            for name, field in self.fields.items()
        ]


class DescribedSerializer(serializers.Serializer[Any]):
    """A part of an answer that is made elsewhere, or stored, and given as it is: only its schema is here."""

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        return instance


def page_of(
    row: type[serializers.Serializer[Any]], description: str, *, name: str = ""
) -> type[AnswerSerializer]:
    """Return the answer that is a keyset page of such rows; the OpenAPI document names it after them."""

    class PageSerializer(AnswerSerializer):
        data = row(many=True, source="rows")  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
        next_cursor = NextCursorField(source="end", allow_null=True)

    PageSerializer.__name__ = name or f"{row.__name__.removesuffix('Serializer')}Page"
    PageSerializer.__doc__ = description
    return PageSerializer


class FieldErrorSerializer(serializers.Serializer[Any]):
    """One refused field."""

    pointer = serializers.CharField(
        help_text="JSON pointer (RFC 6901); for a query, the parameter's name after a /."
    )
    code = serializers.CharField(help_text="Stable, for programs.")
    detail = serializers.CharField(help_text="For people.")


class ProblemSerializer(serializers.Serializer[Any]):
    """Why a request was refused (RFC 9457)."""

    type = serializers.CharField(help_text="Path of the page that explains this kind of problem.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    instance = serializers.CharField(help_text="The path that was asked.")
    request_id = serializers.CharField(help_text="Name it when you ask us.")
    errors = FieldErrorSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
