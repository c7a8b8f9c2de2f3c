"""POST /posts and GET /posts: what is stored, what is answered, what it costs; counts that move."""

from datetime import datetime
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from moderation.models import ApiKey, Case, Platform, Post, Revision, ScoringJob, User
from moderation.operations.scoring import score
from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.api.conftest import LEAST, Payload
from tests.moderation.conftest import Later, judge
from tests.moderation.fakes import FakeScorer

POSTS = "/api/v1/posts"
COST_OF_A_REPETITION = 6
"""The statement for a new post, meeting complaints, authors, posts (insert, lock), revisions."""


class TestSend:
    def test_stores_every_field_and_answers_pending(self, api: APIClient, payload: Payload) -> None:
        response = api.post(POSTS, payload)

        row = Revision.objects.select_related("post__author").get()
        assert response.status_code == 202
        pending = {"revision": 1, "score_state": "pending", "case_id": None}
        assert response.json() == {"id": str(row.post_id), "external_id": "p-1"} | pending
        assert response.headers["Location"].endswith(f"/api/v1/posts/{row.post_id}")
        assert row.text == payload["text"]
        assert row.post.posted_at.isoformat() == "2026-02-01T09:00:00+00:00"
        assert row.author_snapshot["followers"] == 34
        assert (row.parent_external_id, row.parent_text) == ("parent-0", "Which cats do you know?")
        assert row.parent_author is not None
        assert (row.parent_author.external_id, row.parent_author.display_name) == ("a-0", "Editors")
        assert (row.ip, row.user_agent, row.language) == ("192.0.2.7", "Mozilla/5.0", "en-GB")
        assert row.journey == '[["open_composer",0],["press_send",8200]]'
        assert row.media_urls == ["http://cats.example/grey.jpg"]
        assert row.transcripts == [
            {"language": "en", "source": "author", "cues": [[1000, 4000, "Meet my cat"]], "is_cut": False}
        ]
        assert (row.shares, row.comments, row.views) == (0, 3, 210)

    def test_takes_a_text_with_what_is_too_long_for_a_host(self, api: APIClient, payload: Payload) -> None:
        long = f"http://{'a' * 2_000}.example/"

        answer = api.post(POSTS, payload | {"text": f"see {long}", "links": [long]})

        assert answer.status_code == 202
        assert long in Revision.objects.get().text

    def test_takes_the_least_and_nulls_for_unknown(self, api: APIClient) -> None:
        nulls = dict.fromkeys(("ip", "links", "journey", "shares", "language", "revision"))

        response = api.post(POSTS, LEAST | nulls)

        assert response.status_code == 202
        row = Revision.objects.get()
        assert (row.number, row.links, row.journey) == (1, [], "[]")
        assert (row.ip, row.shares, row.language) == (None, None, "")

    def test_keeps_hostile_text_to_the_character(self, api: APIClient, payload: Payload) -> None:
        text = "<script>alert(1)</script> \u202egnp.exe \u200b {{7*7}} \U0001f600\r\n\t '; DROP TABLE;--  "

        api.post(POSTS, payload | {"text": text})

        assert Revision.objects.get().text == text

    def test_is_repeated_refused_or_edited_as_operations_say(self, api: APIClient, payload: Payload) -> None:
        first, again = (api.post(POSTS, payload) for _ in range(2))
        other = api.post(POSTS, payload | {"text": "Buy pills"})
        edited = api.post(POSTS, payload | {"text": "Found her!", "revision": 2})

        assert (again.status_code, again.json()) == (202, first.json())
        problem(other, status=409, code="revision_conflict")
        assert edited.json()["id"] == first.json()["id"]
        assert list(Revision.objects.values_list("number", flat=True)) == [1, 2]

    def test_a_picture_needs_no_text(self, api: APIClient, payload: Payload) -> None:
        response = api.post(POSTS, payload | {"text": "", "links": []})

        assert response.status_code == 202

    def test_the_api_adds_one_query_to_the_operation(
        self, api: APIClient, payload: Payload, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        api.post(POSTS, payload)

        with django_assert_num_queries(1 + COST_OF_A_REPETITION):
            api.post(POSTS, payload)


class TestRead:
    @pytest.fixture
    def sent(self, api: APIClient, payload: Payload) -> str:
        return str(api.post(POSTS, payload).json()["id"])

    def test_shows_a_pending_post_by_either_id(self, api: APIClient, sent: str) -> None:
        by_id = api.get(f"{POSTS}/{sent}").json()

        assert by_id == api.get(POSTS, {"external_id": "p-1"}).json()
        assert by_id["score_state"] == "pending"
        assert by_id["posted_at"] == "2026-02-01T09:00:00Z"
        assert by_id["author"] == {"external_id": "a-1", "display_name": "Honest Author"}
        assert (by_id["scores"], by_id["case"], by_id["decision"]) == ([], None, None)

    def test_is_kept_by_no_cache_and_keeps_personal_fields_inside(self, api: APIClient, sent: str) -> None:
        answer = api.get(f"{POSTS}/{sent}")
        shown = answer.content.decode()

        assert answer.headers["Cache-Control"] == "no-store"
        assert [one for one in ("192.0.2.7", "Mozilla", "example.org", "open_composer") if one in shown] == []

    def test_shows_score_and_case_and_then_the_decision(
        self, api: APIClient, sent: str, fake_scorer: FakeScorer, moderator: User, at: datetime, later: Later
    ) -> None:
        score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=at)
        judge(Case.objects.get(), moderator, at=later(2))

        shown = api.get(f"{POSTS}/{sent}").json()

        [only] = shown["scores"]
        assert only["spam_probability"] == 0.5
        assert only["contributions"] == [{"feature": "social.followers", "value": None, "contribution": 0.1}]
        assert shown["case"]["state"] == "decided"
        assert shown["decision"]["verdict"] == "spam"
        assert shown["decision"]["source"] == "moderator"

    @pytest.mark.parametrize(
        "wrong", ["0", "999999999999999999", "9" * 40, "-1", "abc", "1.0", "%00", "٣", "1%2F2"]
    )
    def test_refuses_what_is_no_id_of_ours(self, api: APIClient, sent: str, wrong: str) -> None:
        problem(api.get(f"{POSTS}/{wrong}"), status=404, code="not_found")

    @pytest.mark.parametrize(
        ("query", "code"),
        [
            ({}, "required"),
            ({"external_id": ""}, "blank"),
            ({"external_id": "x" * 201}, "max_length"),
            ({"external_id": "\0"}, "null_characters_not_allowed"),
        ],
    )
    def test_refuses_a_bad_search(self, api: APIClient, query: dict[str, str], code: str) -> None:
        assert bad_fields(api.get(POSTS, query)) == {"/external_id": code}

    def test_finds_nothing_by_an_unknown_external_id(self, api: APIClient, sent: str) -> None:
        problem(api.get(POSTS, {"external_id": "p-2"}), status=404, code="not_found")

    def test_costs_ten_queries(
        self, api: APIClient, sent: str, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        assert ApiKey.objects.get().last_used_at
        assert Post.objects.exists()

        with django_assert_num_queries(10):
            api.get(f"{POSTS}/{sent}")


class TestCounts:
    @pytest.fixture
    def scored(self, api: APIClient, payload: Payload, fake_scorer: FakeScorer, at: datetime) -> str:
        answer = api.post("/api/v1/posts", payload).json()
        score.run(revision_ids=[Revision.objects.get().pk], at=at)
        return str(answer["id"])

    @pytest.mark.parametrize(
        ("moved", "state"),
        [({"shares": 1}, "pending"), ({"shares": 0}, "scored"), ({"views": 9_000}, "scored")],
    )
    def test_move_without_a_revision_and_score_again_when_doubled_but_for_views(
        self, api: APIClient, scored: str, moved: dict[str, int], state: str
    ) -> None:
        told = api.patch(f"/api/v1/posts/{scored}", moved).json()

        assert told == {"id": scored, "revision": 1, "shares": 0, "comments": 3, "views": 210} | moved
        assert ScoringJob.objects.get().state == state
        assert api.get(f"/api/v1/posts/{scored}").json().items() >= moved.items()

    @pytest.mark.parametrize(
        "body", [{"shares": -1}, {"text": "x"}, {"comments": "many"}, {"views": 0.5}, {"views": 2**31}]
    )
    def test_refuse_the_rest(self, api: APIClient, scored: str, body: dict[str, Any]) -> None:
        answer = api.patch(f"/api/v1/posts/{scored}", body)

        problem(answer, status=422, code="invalid_fields")


class TestLenient:
    def test_unknown_fields_are_left_out_by_a_header_or_a_setting(
        self, api: APIClient, payload: Payload
    ) -> None:
        unknown = payload | {"mood": "sunny", "author": payload["author"] | {"zodiac": "lion"}}
        assert api.post(POSTS, unknown, HTTP_PREFER="handling=lenient").status_code == 202
        assert api.post(POSTS, unknown).status_code == 422

        Platform.objects.update(ignores_unknown_fields=True)
        assert api.post(POSTS, unknown).status_code == 202
