"""Answers are as their serializers describe them; pictures in a body are bounded, and named before stored."""

import base64
import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from rest_framework import serializers
from rest_framework.test import APIClient

from moderation.api.serializers import fields
from moderation.api.serializers.answers import AnswerSerializer
from moderation.evidence import addresses
from moderation.models import Platform, Revision, SentPicture
from moderation.models.platforms import Collecting


class _Answer(AnswerSerializer):
    at = serializers.DateTimeField()
    id = serializers.CharField(source="row.pk")
    length = serializers.IntegerField(allow_null=True)

    def read_length(self, row: SimpleNamespace) -> int:
        return len(row.text)


class TestAnswers:
    def test_reads_attributes_keys_and_what_is_made_of_the_row(self) -> None:
        row = SimpleNamespace(at=datetime(2026, 3, 1, tzinfo=UTC), row={"pk": 7}, text="cat")

        assert list(_Answer(row).data.items()) == [("at", "2026-03-01T00:00:00Z"), ("id", "7"), ("length", 3)]

    def test_does_not_take_a_misspelled_field_for_null(self) -> None:
        class Misspelled(AnswerSerializer):
            length = serializers.IntegerField(allow_null=True)

        with pytest.raises(AttributeError):
            _ = Misspelled(SimpleNamespace(lenght=3)).data


POSTS = "/api/v1/posts"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


class TestPictures:
    @pytest.fixture(autouse=True)
    def _collected(self, platform: Platform) -> None:
        Platform.objects.filter(pk=platform.pk).update(collects_evidence=Collecting.ON)

    def test_are_stored_by_name_before_other_media(
        self, api: APIClient, payload: dict[str, Any], platform: Platform
    ) -> None:
        url = "https://cats.example/grey.jpg"
        body = payload | {"text": "", "media_urls": [url], "pictures": [encoded(PNG), encoded(PNG)]}

        answers = [api.post(POSTS, body) for _ in range(2)]

        assert [answer.status_code for answer in answers] == [202, 202]
        name = addresses.sent_name(PNG, platform=platform.slug)
        assert Revision.objects.get().media_urls == [name, url]
        [kept] = SentPicture.objects.all()
        assert (kept.name, bytes(kept.data)) == (name, PNG)
        assert api.get(f"{POSTS}/{answers[0].json()['id']}").json()["media_urls"] == [name, url]

    def test_another_picture_is_another_content(self, api: APIClient, payload: dict[str, Any]) -> None:
        api.post(POSTS, payload | {"pictures": [encoded(PNG)]})

        answer = api.post(POSTS, payload | {"pictures": [encoded(PNG + b"2")]})

        assert answer.status_code == 409
        assert SentPicture.objects.count() == 1

    @pytest.mark.usefixtures("fake_scorer")
    def test_of_a_post_only_tried_nothing_is_kept(self, api: APIClient, payload: dict[str, Any]) -> None:
        api.post("/api/v1/scores", payload | {"pictures": [encoded(PNG)], "store": False})

        assert not SentPicture.objects.exists()

    @pytest.mark.parametrize(
        ("given", "pointer"),
        [
            ("abc", "/pictures"),
            ([encoded(PNG)] * (fields.MAX_PICTURES + 1), "/pictures"),
            ([""], "/pictures/0"),
            ([encoded(PNG), "not base64!"], "/pictures/1"),
            (["AAA"], "/pictures/0"),
            ([encoded(PNG) + "\n"], "/pictures/0"),
            (["\ud800"], "/pictures/0"),
            ([None], "/pictures/0"),
            ([7], "/pictures/0"),
            ([encoded(bytes(fields.MAX_PICTURE_BYTES + 3))], "/pictures/0"),
            ([{"data": "AAAA"}], "/pictures/0"),
        ],
    )
    def test_wrong_ones_are_refused(
        self, given: Any, pointer: str, api: APIClient, payload: dict[str, Any]
    ) -> None:
        body = json.dumps(payload | {"pictures": given})

        answer = api.post(POSTS, body, content_type="application/json")

        assert answer.status_code == 422
        assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
        assert not SentPicture.objects.exists()

    @pytest.mark.parametrize("nothing", [None, []])
    def test_none_is_the_same_as_leaving_them_out(
        self, nothing: Any, api: APIClient, payload: dict[str, Any]
    ) -> None:
        assert api.post(POSTS, payload | {"pictures": nothing}).status_code == 202
        assert api.post(POSTS, payload).status_code == 202
        assert Revision.objects.count() == 1
