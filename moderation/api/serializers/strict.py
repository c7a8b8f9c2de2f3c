"""Objects that refuse unknown fields, which are usually misspellings, instead of dropping them.

A platform that sends one body to several services can ask for unknown names to be left out: the context
`is_lenient` says so.
"""

import json
from collections.abc import Mapping
from itertools import islice
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from moderation.api.problems import MAX_ERRORS

OPTIONAL: dict[str, Any] = {"required": False, "allow_null": True}
"""Of a field that may be left out; null means the same."""


class StrictSerializer(serializers.Serializer[Any]):
    """A JSON object with exactly these fields."""

    default_error_messages = {"invalid": "Must be a JSON object."}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the fields that were given. Raises ValidationError for wrong and unknown ones together."""
        if not isinstance(data, Mapping):
            refusal = {"non_field_errors": [self.error_messages["invalid"]]}
            raise serializers.ValidationError(refusal, code="invalid")
        unknown = {} if self.context.get("is_lenient") else self._unknown(data)
        given = {name: value for name, value in data.items() if value is not None or self._is_required(name)}
        try:
            values: dict[str, Any] = super().to_internal_value(given)
        except serializers.ValidationError as refused:
            if isinstance(refused.detail, dict):
                raise serializers.ValidationError({**refused.detail, **unknown}) from None
            raise
        if unknown:
            raise serializers.ValidationError(unknown)
        return values

    def _is_required(self, name: str) -> bool:
        return name in self.fields and self.fields[name].required

    def _unknown(self, data: Mapping[str, Any]) -> dict[str, list[ErrorDetail]]:
        refusal = [ErrorDetail("This field is not known.", code="unknown_field")]
        # A 12 MB object of unknown names must not be answered with a million errors.
        return dict.fromkeys(islice((name for name in data if name not in self.fields), MAX_ERRORS), refusal)


class StrictSchema(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]  # its metaclass has no types
    """Say in the OpenAPI document that unknown fields are refused, under a name that says request once."""

    target_class = StrictSerializer
    match_subclasses = True

    def get_name(self, auto_schema: AutoSchema, direction: Any) -> str:
        """Return the component's name, without the word that the library adds to every request."""
        name: str = auto_schema.get_serializer_name(self.target, direction)
        return name.removesuffix("Serializer").removesuffix("Request")

    def map_serializer(self, auto_schema: AutoSchema, direction: Any) -> dict[str, Any]:
        """Return the schema that the library makes, closed."""
        read: Any = auto_schema._map_serializer  # noqa: SLF001 - what the library documents for extensions
        schema: dict[str, Any] = read(self.target, direction, bypass_extensions=True)
        return {**schema, "additionalProperties": False}


def say_defaults(result: dict[str, Any], **_: object) -> dict[str, Any]:
    """Say the defaults of bodies in words; a postprocessing hook of drf-spectacular.

    By `default`, generators of types take it that a field is always there, and ask every sender for it.
    """
    bodies = [one for one in result["components"]["schemas"].values() if "additionalProperties" in one]
    for field in [field for body in bodies for field in body.get("properties", {}).values()]:
        if "default" in field:
            said = f"Default: {json.dumps(field.pop('default'))}."
            field["description"] = f"{field.get('description', '')} {said}".strip()
    return result
