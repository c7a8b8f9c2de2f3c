"""The shape of a problem, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


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
