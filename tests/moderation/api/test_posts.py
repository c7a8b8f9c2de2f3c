"""POST /posts and GET /posts: what is stored, what is answered, what it costs; counts that move."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from moderation.models import ApiKey, Platform, Post, Revision, User
from moderation.models.decisions import Verdict
from moderation.operations.cases import claims, review
from moderation.operations.scoring import score
from tests.moderation.api.answers import pointers, problem
from tests.moderation.fakes import FakeScorer

Payload = dict[str, Any]
POSTS = "/api/v1/posts"


class TestSend:
    def test_stores_every_field_and_answers_pending(self, api: APIClient, payload: Payload) -> None:
        response = api.post(POSTS, payload, format="json")

        row = Revision.objects.select_related("post__author").get()
        assert response.status_code == 202
        assert response.json() == {
            "id": str(row.post_id),
            "external_id": "p-1",
            "revision": 1,
            "score_state": "pending",
            "case_id": None,
        }
        assert response.headers["Location"].endswith(f"/api/v1/posts/{row.post_id}")
        assert row.text == payload["text"]
        assert row.post.posted_at.isoformat() == "2026-02-01T09:00:00+00:00"
        assert row.author_snapshot["followers"] == 34
        assert (row.parent_external_id, row.parent_text) == ("parent-0", "Which cats do you know?")
        assert row.parent_author is not None
        assert (row.parent_author.external_id, row.parent_author.display_name) == ("a-0", "Editors")
        assert (row.ip, row.user_agent, row.language) == ("192.0.2.7", "Mozilla/5.0", "en-GB")
        assert row.journey == [["open_composer", 0], ["press_send", 8200]]
        assert row.media_urls == ["http://cats.example/grey.jpg"]
        assert row.transcripts == [
            {"language": "en", "source": "author", "cues": [[1000, 4000, "Meet my cat"]], "is_cut": False}
        ]
        assert (row.shares, row.comments, row.views) == (0, 3, 210)

    def test_takes_a_text_with_what_is_too_long_for_a_host(self, api: APIClient, payload: Payload) -> None:
        long = f"http://{'a' * 2_000}.example/"

        answer = api.post(POSTS, payload | {"text": f"see {long}", "links": [long]}, format="json")

        assert answer.status_code == 202
        assert long in Revision.objects.get().text

    def test_takes_the_least_and_nulls_for_unknown(self, api: APIClient) -> None:
        least = {
            "external_id": "p",
            "text": "hi",
            "posted_at": "2026-02-01T10:00:00Z",
            "author": {"external_id": "a"},
        }
        nulls = {
            "ip": None,
            "links": None,
            "journey": None,
            "shares": None,
            "language": None,
            "revision": None,
        }

        response = api.post(POSTS, least | nulls, format="json")

        assert response.status_code == 202
        row = Revision.objects.get()
        assert (row.number, row.ip, row.links, row.journey, row.shares, row.language) == (
            1,
            None,
            [],
            [],
            None,
            "",
        )

    def test_keeps_hostile_text_to_the_character(self, api: APIClient, payload: Payload) -> None:
        text = (
            "<script>alert(1)</script> \u202egnp.exe \u200b {{7*7}} \U0001f600\r\n\t '; DROP TABLE posts;--  "
        )

        api.post(POSTS, payload | {"text": text}, format="json")

        assert Revision.objects.get().text == text

    def test_repeating_changes_nothing(self, api: APIClient, payload: Payload) -> None:
        first = api.post(POSTS, payload, format="json")

        again = api.post(POSTS, payload, format="json")

        assert again.status_code == 202
        assert again.json() == first.json()
        assert Revision.objects.count() == 1

    def test_refuses_another_content_for_a_stored_revision(self, api: APIClient, payload: Payload) -> None:
        api.post(POSTS, payload, format="json")

        response = api.post(POSTS, payload | {"text": "Buy pills"}, format="json")

        problem(response, status=409, code="revision_conflict")
        assert Revision.objects.get().text == payload["text"]

    def test_stores_an_edit_as_a_revision(self, api: APIClient, payload: Payload) -> None:
        first = api.post(POSTS, payload, format="json").json()

        edited = api.post(POSTS, payload | {"text": "Found her!", "revision": 2}, format="json").json()

        assert edited["id"] == first["id"]
        assert list(Revision.objects.values_list("number", flat=True)) == [1, 2]

    def test_a_picture_needs_no_text(self, api: APIClient, payload: Payload) -> None:
        response = api.post(POSTS, payload | {"text": "", "links": []}, format="json")

        assert response.status_code == 202

    def test_the_api_adds_one_query_to_the_operation(
        self, api: APIClient, payload: Payload, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        api.post(POSTS, payload, format="json")

        with django_assert_num_queries(1 + _cost_of_a_repetition()):
            api.post(POSTS, payload, format="json")


def _cost_of_a_repetition() -> int:
    """The statement for a new post, meeting complaints, authors, posts (insert, lock), revisions."""
    return 6


class TestRead:
    @pytest.fixture
    def sent(self, api: APIClient, payload: Payload) -> str:
        return str(api.post(POSTS, payload, format="json").json()["id"])

    def test_shows_a_pending_post_by_either_id(self, api: APIClient, sent: str) -> None:
        by_id = api.get(f"{POSTS}/{sent}").json()

        assert by_id == api.get(POSTS, {"external_id": "p-1"}).json()
        assert by_id["score_state"] == "pending"
        assert by_id["posted_at"] == "2026-02-01T09:00:00Z"
        assert by_id["author"] == {"external_id": "a-1", "display_name": "Honest Author"}
        assert (by_id["scores"], by_id["case"], by_id["decision"]) == ([], None, None)

    def test_is_kept_by_no_cache(self, api: APIClient, sent: str) -> None:
        assert api.get(f"{POSTS}/{sent}").headers["Cache-Control"] == "no-store"

    def test_keeps_personal_fields_inside(self, api: APIClient, sent: str) -> None:
        shown = api.get(f"{POSTS}/{sent}").content.decode()

        assert "192.0.2.7" not in shown
        assert "Mozilla" not in shown
        assert "example.org" not in shown
        assert "open_composer" not in shown

    def test_shows_score_and_case_and_then_the_decision(
        self,
        api: APIClient,
        sent: str,
        fake_scorer: FakeScorer,
        moderator: User,
        at: datetime,
        later: Callable[[float], datetime],
    ) -> None:
        score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=at)
        [case] = claims.claim_next(moderator=moderator, at=later(1))
        review.decide(
            case_id=case.pk, case_version=case.version, moderator=moderator, verdict=Verdict.SPAM, at=later(2)
        )

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
        answer = problem(api.get(POSTS, query), status=422, code="invalid_fields")

        assert pointers(answer) == {"/external_id": code}

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
        answer = api.post("/api/v1/posts", payload, format="json").json()
        score.run(revision_ids=[Revision.objects.get().pk], at=at)
        return str(answer["id"])

    @pytest.mark.parametrize(("shares", "state"), [(1, "pending"), (0, "scored")])
    def test_move_without_a_revision_and_score_again_when_doubled(
        self, api: APIClient, scored: str, shares: int, state: str
    ) -> None:
        answer = api.patch(f"/api/v1/posts/{scored}", {"shares": shares}, format="json")

        assert answer.json() == {"id": scored, "revision": 1, "shares": shares, "comments": 3, "views": 210}
        assert Revision.objects.get().score_state == state

    def test_of_views_score_nothing_again(self, api: APIClient, scored: str) -> None:
        told = api.patch(f"/api/v1/posts/{scored}", {"views": 9_000}, format="json").json()

        assert told == {"id": scored, "revision": 1, "shares": 0, "comments": 3, "views": 9_000}
        assert Revision.objects.get().score_state == "scored"
        assert api.get(f"/api/v1/posts/{scored}").json()["views"] == 9_000

    @pytest.mark.parametrize(
        "body", [{"shares": -1}, {"text": "x"}, {"comments": "many"}, {"views": 0.5}, {"views": 2**31}]
    )
    def test_refuse_the_rest(self, api: APIClient, scored: str, body: dict[str, Any]) -> None:
        answer = api.patch(f"/api/v1/posts/{scored}", body, format="json")

        problem(answer, status=422, code="invalid_fields")


class TestLenient:
    def test_unknown_fields_are_refused_with_their_place(
        self, api: APIClient, payload: dict[str, Any]
    ) -> None:
        answer = api.post("/api/v1/posts", payload | {"mood": "sunny"}, format="json")

        assert problem(answer, status=422, code="invalid_fields")["errors"][0]["pointer"] == "/mood"

    def test_the_platform_may_have_them_left_out(self, api: APIClient, payload: dict[str, Any]) -> None:
        Platform.objects.update(ignores_unknown_fields=True)
        unknown = payload | {"mood": "sunny", "author": payload["author"] | {"zodiac": "lion"}}

        assert api.post("/api/v1/posts", unknown, format="json").status_code == 202

    def test_or_ask_for_it_once(self, api: APIClient, payload: dict[str, Any]) -> None:
        answer = api.post(
            "/api/v1/posts", payload | {"mood": "sunny"}, format="json", HTTP_PREFER="handling=lenient"
        )

        assert answer.status_code == 202
