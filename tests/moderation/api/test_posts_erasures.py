"""Erasing posts and authors, at once or after a verdict: through the api, looked up in the rows."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import (
    AuditEntry,
    Author,
    AuthorBand,
    AuthorDeletion,
    CampaignMember,
    Case,
    Complaint,
    DeskSettings,
    Label,
    Platform,
    PostLink,
    Revision,
    Score,
    SimilarityBand,
    User,
)
from moderation.models.cases import CaseState
from moderation.operations.erasure import erase
from moderation.operations.scoring import score
from moderation.queries.labels import label_lines
from moderation.queries.labels.labels import LabelFilter
from tests.moderation.api.answers import problem
from tests.moderation.api.conftest import Payload
from tests.moderation.conftest import Post_, judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later

Send = Callable[..., Case]
_PERSONAL = (
    "grey cat",
    "192.0.2.7",
    "example.org",
    "cats.example/grey",
    "asked me for money",
    "Honest Author",
)
_SPAM = "Cheap pills without prescription in Oslo, call zanzibar now and save today"
_RUNAWAY = ("zanzibar", "pills.example/offer", "Runaway", "runaway-1")


@pytest.fixture
def judged(
    api: APIClient, payload: Payload, complaint: Payload, moderator: User, fake_scorer: FakeScorer
) -> str:
    """A post with everything: scored, reported, decided with a note. Returns our id."""
    answer = api.post("/api/v1/posts", payload).json()
    api.post("/api/v1/complaints", complaint)
    score.run(revision_ids=[Revision.objects.get().pk], at=later(1))
    Score.objects.update(word_contributions=[[0, 4, 0.5]], counterfactual={"subject": "grey"})
    judge(Case.objects.get(), moderator, note="the grey cat again", at=later(3))
    return str(answer["id"])


@pytest.fixture
def send(api: APIClient, payload: Payload, fake_scorer: FakeScorer) -> Send:
    """Send spam as an account, and have it scored; return its case."""

    def run(account: str, *, number: int = 1) -> Case:
        author = payload["author"] | {"external_id": account, "display_name": "Runaway"}
        body = payload | {"external_id": f"{account[-1]}-{number}", "text": _SPAM, "author": author}
        body["links"] = ["https://pills.example/offer"]
        post = int(api.post("/api/v1/posts", body).json()["id"])
        score.run(revision_ids=[Revision.objects.get(post=post).pk], at=timezone.now())
        return Case.objects.get(post=post)

    return run


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
    def test_can_still_be_read_as_erased_and_counted_but_not_learnt_from(
        self, api: APIClient, judged: str
    ) -> None:
        api.delete(f"/api/v1/posts/{judged}")

        page = api.get(f"/api/v1/posts/{judged}").json()
        assert page["erased_at"]
        assert (page["text"], page["links"]) == ("", [])
        assert Label.objects.filter(is_spam=True, retracted_at__isnull=True).count() == 1
        assert list(label_lines.lines(wanted=LabelFilter())) == []

    def test_the_signature_leads_nowhere(self, api: APIClient, judged: str, remembered: DeskSettings) -> None:
        remembered.digest_days = 0
        assert SimilarityBand.objects.exists()

        api.delete(f"/api/v1/posts/{judged}")

        assert not SimilarityBand.objects.exists()
        assert not PostLink.objects.exclude(url="").exists()

    def test_is_audited_once(self, api: APIClient, judged: str) -> None:
        first = api.delete(f"/api/v1/posts/{judged}").json()
        again = api.delete(f"/api/v1/posts/{judged}").json()

        assert first == again
        assert AuditEntry.objects.filter(action="post.erased").count() == 1

    def test_nothing_about_it_is_taken_in_afterwards(
        self, api: APIClient, judged: str, payload: Payload, complaint: Payload
    ) -> None:
        api.delete(f"/api/v1/posts/{judged}")
        late = complaint | {"reporter": {"external_id": "somebody_else"}}

        for refused in (
            api.post("/api/v1/posts", payload | {"revision": 2}),
            api.post("/api/v1/complaints", late),
            api.patch(f"/api/v1/posts/{judged}", {"shares": 1}),
        ):
            problem(refused, status=410, code="erased")


class TestAuthor:
    def test_takes_every_post_and_the_name(self, api: APIClient, judged: str) -> None:
        answer = api.delete("/api/v1/authors/a-1").json()

        assert (answer["kind"], answer["posts"]) == ("author", 1)
        assert [word for word in _PERSONAL if word in everything_stored()] == []
        assert not Author.objects.filter(external_id="a-1").exists()
        assert not AuthorBand.objects.exists()

    def test_a_second_time_gives_the_same_answer(self, api: APIClient, judged: str) -> None:
        assert api.delete("/api/v1/authors/a-1").json() == api.delete("/api/v1/authors/a-1").json()

    def test_refuses_one_that_never_was(self, api: APIClient) -> None:
        problem(api.delete("/api/v1/authors/nobody"), status=404, code="not_found")

    def test_wipes_the_notes_of_complaints_that_the_author_made(self, api: APIClient, judged: str) -> None:
        api.delete("/api/v1/authors/honest_author")

        assert Complaint.objects.get().note == ""


class TestRetention:
    def test_erases_what_is_older_and_only_that(self, platform: Platform, post: Post_) -> None:
        Platform.objects.update(text_retention_days=30)
        old = post(at=AT - timedelta(days=31))
        kept = post(at=AT - timedelta(days=29))

        assert erase.expired(at=AT) == 1
        assert Revision.objects.get(post=old).text == ""
        assert Revision.objects.get(post=kept).text

    def test_keeps_everything_unless_asked(self, post: Post_) -> None:
        post(at=AT - timedelta(days=3_000))

        assert erase.expired(at=AT) == 0


class TestDeletedByAuthor:
    def test_the_evidence_stays_and_the_words_go(self, api: APIClient, send: Send, moderator: User) -> None:
        cases = [send("runaway-1", number=number) for number in range(2)]
        campaign = CampaignMember.objects.values_list("campaign", flat=True)[0]

        answer = api.post("/api/v1/authors/runaway-1/deletion")
        now = AuthorDeletion.objects.get().deleted_at

        assert (answer.status_code, answer.json()["waiting"]) == (202, 2)
        assert api.post("/api/v1/authors/runaway-1/deletion").json() == answer.json()
        shown = api.get("/api/v1/cases").json()["data"]
        assert [case["author_deleted_at"] for case in shown] == [answer.json()["deleted_at"]] * 2
        erase.expired(at=now)
        assert Case.objects.filter(state=CaseState.OPEN).count() == 2
        for case in cases:
            judge(case, moderator, at=now)
            erase.expired(at=now)  # neither while one waits nor while the last can be undone
        assert Author.objects.filter(external_id="runaway-1").exists()

        erase.expired(at=now + timedelta(minutes=1))

        assert [word for word in _RUNAWAY if word in everything_stored()] == []
        assert Label.objects.filter(is_spam=True, retracted_at__isnull=True).count() == 2
        acts = AuditEntry.objects.filter(subject_kind="author").values_list("action", flat=True)
        assert list(acts) == ["author.deleted", "author.erased"]
        copy = send("next-account")
        assert CampaignMember.objects.get(post=copy.post_id).campaign_id == campaign
        assert copy.score.record["similar"]["confirmed_spam"] == 2

    def test_without_a_verdict_the_author_waits_a_week(self, api: APIClient, send: Send) -> None:
        send("runaway-1")
        answer = api.post("/api/v1/authors/runaway-1/deletion").json()
        due = datetime.fromisoformat(answer["erased_by"])

        erase.expired(at=due - timedelta(seconds=1))
        assert Case.objects.get().state == CaseState.OPEN

        erase.expired(at=due)
        assert Case.objects.get().state == CaseState.WITHDRAWN
        assert not Author.objects.filter(external_id="runaway-1").exists()
        assert not AuthorDeletion.objects.exists()

    def test_a_request_for_erasure_waits_for_nothing(self, api: APIClient, send: Send) -> None:
        send("runaway-1")
        api.post("/api/v1/authors/runaway-1/deletion")

        api.delete("/api/v1/authors/runaway-1")

        assert [word for word in _RUNAWAY if word in everything_stored()] == []
        problem(api.post("/api/v1/authors/runaway-1/deletion"), status=404, code="not_found")
