"""Answers are written as their serializers describe them."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer


class _Answer(AnswerSerializer):
    at = serializers.DateTimeField()
    id = serializers.CharField(source="row.pk")
    length = serializers.IntegerField(allow_null=True)

    def read_length(self, row: SimpleNamespace) -> int:
        return len(row.text)


def test_reads_attributes_keys_and_what_is_made_of_the_row() -> None:
    row = SimpleNamespace(at=datetime(2026, 3, 1, tzinfo=UTC), row={"pk": 7}, text="cat")

    assert list(_Answer(row).data.items()) == [("at", "2026-03-01T00:00:00Z"), ("id", "7"), ("length", 3)]


def test_does_not_take_a_misspelled_field_for_null() -> None:
    class Misspelled(AnswerSerializer):
        length = serializers.IntegerField(allow_null=True)

    with pytest.raises(AttributeError):
        _ = Misspelled(SimpleNamespace(lenght=3)).data
