"""What is said in videos, at GET /posts/{id}: captions as sent, recordings as heard; with times, bounded."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from moderation.api.serializers.transcripts import MOST_TEXT
from moderation.models import Case, Post
from moderation.models.evidence import EvidenceKind
from moderation.queries.evidence.transcripts import MOST_CUES
from tests.moderation.api.conftest import Payload, ReadPost
from tests.moderation.carried_pictures import carry, carry_picture
from tests.moderation.conftest import Case_

POSTS = "/api/v1/posts"
SAID = {"start_ms": 1_000, "end_ms": 4_000, "text": "Meet my cat"}
HOSTILE = "</script><script>alert(1)</script>\u202e\u2028\"'&amp;"


def captions(*cues: list[Any], **more: Any) -> Payload:
    """Return captions as a revision stores them."""
    return {"language": "en", "source": "author", "cues": list(cues), "is_cut": False} | more


def heard(*cues: Payload, **more: Any) -> Payload:
    """Return what an engine heard, as evidence stores it."""
    text = "\n".join(cue["text"] for cue in cues)
    said = {"source": "vosk: small", "seconds": 60.0, "cues": list(cues), "text": text, "is_cut": False}
    return said | more


def carry_recording(case: Case, number: int = 0, **more: Any) -> None:
    carry(case, f"https://videos.example/{number}.webm", kind=EvidenceKind.PICTURE, **more)


class TestSent:
    def test_are_answered_with_times_language_and_source(self, api: APIClient, payload: Payload) -> None:
        posted = api.post(POSTS, payload).json()

        answer = api.get(f"{POSTS}/{posted['id']}").json()

        assert answer["transcripts"] == [
            {"language": "en", "source": "author", "heard_seconds": None, "cues": [SAID], "is_cut": False}
        ]

    @pytest.mark.parametrize("unknown", [{}, {"language": None, "source": None}, {"source": ""}])
    def test_of_an_unknown_language_and_source_say_null(
        self, unknown: Payload, api: APIClient, payload: Payload
    ) -> None:
        payload["transcripts"] = [{"captions": payload["transcripts"][0]["captions"]} | unknown]
        posted = api.post(POSTS, payload).json()

        [said] = api.get(f"{POSTS}/{posted['id']}").json()["transcripts"]

        assert (said["language"], said["source"], said["cues"]) == (None, None, [SAID])

    def test_are_bounded_and_say_so(self, open_case: Case_, read: ReadPost) -> None:
        many = captions(*([at, at + 1, "ж"] for at in range(2_000)))
        long = captions([0, 900, "a" * 3_000], [900, 1_800, "b" * 20_000], [1_800, 2_000, "c"])
        case = open_case(transcripts=(many, long))

        first, second = read(case)["transcripts"]

        assert (len(first["cues"]), first["is_cut"]) == (MOST_CUES, True)
        assert [len(cue["text"]) for cue in second["cues"]] == [3_000, MOST_TEXT - 3_000]
        assert second["is_cut"]

    def test_that_were_cut_when_read_say_so(self, open_case: Case_, read: ReadPost) -> None:
        case = open_case(transcripts=(captions([0, 900, "pay"], is_cut=True), captions([0, 900, "pay"])))

        assert [said["is_cut"] for said in read(case)["transcripts"]] == [True, False]

    def test_arrive_as_they_were_written(self, open_case: Case_, read: ReadPost) -> None:
        case = open_case(transcripts=(captions([0, 900, HOSTILE], source=HOSTILE),))

        [said] = read(case)["transcripts"]

        assert (said["source"], said["cues"][0]["text"]) == (HOSTILE, HOSTILE)


class TestHeard:
    def test_says_by_what_how_much_and_when(self, open_case: Case_, read: ReadPost) -> None:
        case = open_case()
        carry_recording(case, facts=heard(SAID, is_cut=True))

        [found] = read(case)["evidence"]

        assert found["text"] == SAID["text"]
        assert found["transcript"] == {
            "language": None,
            "source": "vosk: small",
            "heard_seconds": 60.0,
            "cues": [SAID],
            "is_cut": True,
        }

    def test_nothing_is_told_from_the_unheard(self, open_case: Case_, read: ReadPost) -> None:
        case = open_case()
        carry_recording(case, facts=heard())
        carry_recording(case, 1, state="not_installed", facts=None)
        carry_recording(case, 2, facts={"title": "A page", "text": "Pay"})

        silent, unheard, page = (found["transcript"] for found in read(case)["evidence"])

        assert (silent["cues"], silent["is_cut"]) == ([], False)
        assert (unheard, page) == (None, None)

    def test_is_bounded(self, open_case: Case_, read: ReadPost) -> None:
        case = open_case()
        carry_recording(case, facts=heard(SAID | {"text": HOSTILE + "ж" * 20_000}))

        [found] = read(case)["evidence"]

        [cue] = found["transcript"]["cues"]
        assert (len(cue["text"]), cue["text"][: len(HOSTILE)]) == (MOST_TEXT, HOSTILE)
        assert found["transcript"]["is_cut"]

    def test_answers_as_the_guide_shows(self, open_case: Case_, read: ReadPost) -> None:
        guide = (Path(__file__).parents[3] / "docs" / "api-guide.md").read_text()
        [block] = re.findall(r'```json\n(\{\n  "language": null.*?)```', guide, re.DOTALL)
        case = open_case()
        carry_recording(case, facts=heard(SAID))

        [found] = read(case)["evidence"]

        assert found["transcript"].keys() == json.loads(block).keys()


def test_takes_as_many_queries_for_many_as_for_none(
    open_case: Case_, read: ReadPost, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    case = open_case()
    read(case)
    with django_assert_max_num_queries(40) as none:
        read(case)
    Post.objects.get(pk=case.post_id).revisions.update(transcripts=[captions([0, 900, "pay"])] * 5)
    for number in range(5):
        carry_recording(case, number, facts=heard(SAID))
        codes = [{"format": "QR", "text": "http://parcel.example/pay"}]
        carry_picture(case, f"http://pictures.example/{number}.png", codes=codes)

    with django_assert_max_num_queries(len(none)):
        answer = read(case)

    assert (len(answer["transcripts"]), len(answer["evidence"])) == (5, 10)
