"""Erasing posts and authors, and counts that move: through the api, looked up in the rows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from moderation.models import (
    AuditEntry,
    Author,
    AuthorBand,
    Case,
    Complaint,
    Export,
    Label,
    Platform,
    Post,
    PostLink,
    Revision,
    Score,
    SimilarityBand,
    User,
)
from moderation.models.decisions import Verdict
from moderation.models.exports import ExportState
from moderation.operations.cases import claims, review
from moderation.operations.erasure import erase
from moderation.operations.labels import export_build, export_files, exports
from moderation.operations.scoring import score
from moderation.queries.labels import label_lines
from moderation.queries.labels.labels import LabelFilter
from tests.moderation.api.answers import problem
from tests.moderation.fakes import FakeScorer

Later = Callable[[float], datetime]
_PERSONAL = (
    "grey cat",
    "192.0.2.7",
    "example.org",
    "cats.example/grey",
    "Honest Author",
    "asked me for money",
)


@pytest.fixture
def judged(
    api: APIClient,
    payload: dict[str, Any],
    complaint: dict[str, Any],
    moderator: User,
    fake_scorer: FakeScorer,
    later: Later,
) -> str:
    """A post with everything: scored, reported, decided with a note. Returns our id."""
    answer = api.post("/api/v1/posts", payload, format="json").json()
    api.post("/api/v1/complaints", complaint, format="json")
    score.run(revision_ids=[Revision.objects.get().pk], at=later(1))
    Score.objects.update(word_contributions=[[0, 4, 0.5]], counterfactual={"subject": "grey"})
    case = claims.claim(case_id=Case.objects.get().pk, moderator=moderator, at=later(2))
    review.decide(
        case_id=case.pk,
        case_version=case.version,
        moderator=moderator,
        verdict=Verdict.SPAM,
        note="the grey cat again",
        at=later(3),
    )
    return str(answer["id"])


def everything_stored() -> str:
    """Return every row of every table of ours as text, but for the audit log."""
    tables = [name for name in connection.introspection.table_names() if name.startswith("moderation_")]
    found = []
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f'SELECT "{table}"::text FROM "{table}"')
            found += [row[0] for row in cursor.fetchall()]
    return "\n".join(found)


class TestPost:
    def test_nothing_personal_is_left_in_any_table(self, api: APIClient, judged: str) -> None:
        assert all(word in everything_stored() for word in _PERSONAL)

        answer = api.delete(f"/api/v1/posts/{judged}")

        assert answer.status_code == 202
        left = everything_stored()
        assert [word for word in _PERSONAL if word in left and word != "Honest Author"] == []

    def test_labels_stay_as_counts_but_not_for_training(self, api: APIClient, judged: str) -> None:
        api.delete(f"/api/v1/posts/{judged}")

        assert Label.objects.filter(is_spam=True, retracted_at__isnull=True).count() == 1
        assert list(label_lines.lines(wanted=LabelFilter())) == []

    def test_the_signature_leads_nowhere(self, api: APIClient, judged: str) -> None:
        assert SimilarityBand.objects.exists()

        api.delete(f"/api/v1/posts/{judged}")

        assert not SimilarityBand.objects.exists()
        assert not PostLink.objects.exclude(url="").exists()

    def test_is_audited_once(self, api: APIClient, judged: str) -> None:
        first = api.delete(f"/api/v1/posts/{judged}").json()
        again = api.delete(f"/api/v1/posts/{judged}").json()

        assert first == again
        assert AuditEntry.objects.filter(action="post.erased").count() == 1

    def test_takes_back_exports_that_hold_it(
        self, api: APIClient, judged: str, lead: User, later: Later, django_capture_on_commit_callbacks: Any
    ) -> None:
        row = exports.request(requested_by=lead, wanted=LabelFilter(), at=later(60))
        export_build.build(export_id=row.pk, at=later(60))
        file = export_files.path_of(Export.objects.get())
        assert file.exists()

        with django_capture_on_commit_callbacks(execute=True):
            api.delete(f"/api/v1/posts/{judged}")

        assert not file.exists()
        assert Export.objects.get().state == ExportState.FAILED

    def test_nothing_about_it_is_taken_in_afterwards(
        self, api: APIClient, judged: str, payload: dict[str, Any], complaint: dict[str, Any]
    ) -> None:
        api.delete(f"/api/v1/posts/{judged}")
        late = complaint | {"reporter": {"external_id": "somebody_else"}}

        problem(
            api.post("/api/v1/posts", payload | {"revision": 2}, format="json"), status=410, code="erased"
        )
        problem(api.post("/api/v1/complaints", late, format="json"), status=410, code="erased")
        problem(api.patch(f"/api/v1/posts/{judged}", {"shares": 1}, format="json"), status=410, code="erased")

    def test_can_still_be_read_as_erased(self, api: APIClient, judged: str) -> None:
        api.delete(f"/api/v1/posts/{judged}")

        page = api.get(f"/api/v1/posts/{judged}").json()

        assert page["erased_at"]
        assert (page["text"], page["links"]) == ("", [])

    def test_another_platform_cannot(self, other_api: APIClient, judged: str) -> None:
        problem(other_api.delete(f"/api/v1/posts/{judged}"), status=404, code="not_found")
        assert Revision.objects.get().text


class TestAuthor:
    def test_takes_every_post_and_the_name(self, api: APIClient, judged: str) -> None:
        answer = api.delete("/api/v1/authors/a-1").json()

        assert (answer["kind"], answer["posts"]) == ("author", 1)
        assert [word for word in _PERSONAL if word in everything_stored()] == []
        assert not Author.objects.filter(external_id="a-1").exists()
        assert not AuthorBand.objects.exists()

    def test_a_second_time_gives_the_same_answer(self, api: APIClient, judged: str) -> None:
        assert api.delete("/api/v1/authors/a-1").json() == api.delete("/api/v1/authors/a-1").json()

    def test_the_same_name_is_a_new_author_later(
        self, api: APIClient, judged: str, payload: dict[str, Any]
    ) -> None:
        api.delete("/api/v1/authors/a-1")

        api.post("/api/v1/posts", payload | {"external_id": "p-9"}, format="json")

        assert Author.objects.get(external_id="a-1").erased_at is None

    def test_refuses_one_that_never_was(self, api: APIClient) -> None:
        problem(api.delete("/api/v1/authors/nobody"), status=404, code="not_found")

    def test_wipes_the_notes_of_complaints_that_the_author_made(self, api: APIClient, judged: str) -> None:
        api.delete("/api/v1/authors/honest_author")

        assert Complaint.objects.get().note == ""


class TestRetention:
    def test_erases_what_is_older_and_only_that(
        self, platform: Platform, post: Callable[..., Post], at: datetime
    ) -> None:
        Platform.objects.update(text_retention_days=30)
        old = post(at=at - timedelta(days=31))
        kept = post(at=at - timedelta(days=29))

        assert erase.expired(at=at) == 1
        assert Revision.objects.get(post=old).text == ""
        assert Revision.objects.get(post=kept).text

    def test_keeps_everything_unless_asked(self, post: Callable[..., Post], at: datetime) -> None:
        post(at=at - timedelta(days=3_000))

        assert erase.expired(at=at) == 0


class TestCounts:
    @pytest.fixture
    def scored(self, api: APIClient, payload: dict[str, Any], fake_scorer: FakeScorer, later: Later) -> str:
        answer = api.post("/api/v1/posts", payload, format="json").json()
        score.run(revision_ids=[Revision.objects.get().pk], at=later(1))
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
