"""Trial 31, by name: words that come back while something is erased."""

import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any

import pytest
from django.db import connection, transaction

from moderation.models import (
    Author,
    AuthorBand,
    CampaignMember,
    CampaignTrait,
    Case,
    CaseNote,
    Complaint,
    Decision,
    LinkVerdict,
    Platform,
    Post,
    Score,
    SimilarityBand,
    User,
)
from moderation.models.decisions import Verdict
from moderation.operations import explanations, refusals
from moderation.operations.campaigns import gather
from moderation.operations.cases import claims, notes, review
from moderation.operations.erasure import erase
from moderation.operations.posts import complaints, ingest
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.reputation import inquiry
from moderation.operations.reputation.provider import Said, WebRisk
from moderation.operations.scoring import score
from moderation.operations.similarity import text_groups
from moderation.queries.records import records
from tests.moderation.conftest import Case_, Incoming, Post_, judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import later
from tests.moderation.operations.conftest import in_thread
from tests.moderation.operations.erasure.erasures import MALLORY, rows_with

WAIT_SECONDS = 60


@pytest.mark.django_db(transaction=True)
class TestRaces:
    """Each process is paused at the line where erasure hurts most, and goes on afterwards."""

    @pytest.fixture
    def pending(self, post: Post_, fake_scorer: FakeScorer) -> Post:
        return post(
            text="buy xyzzy pills", author=MALLORY, ip="203.0.113.77", links=("https://xyzzy.example/",)
        )

    @pytest.mark.parametrize("line", ["missing", "gather", "freeze", "score"])
    def test_a_score_is_not_written(
        self,
        pending: Post,
        platform: Platform,
        fake_scorer: FakeScorer,
        monkeypatch: pytest.MonkeyPatch,
        line: str,
    ) -> None:
        owner, name = {
            "missing": (text_groups, "backfill"),
            "gather": (gather, "gather_or_leave"),
            "freeze": (records, "records_at"),
            "score": (fake_scorer, "score_many"),
        }[line]
        there = getattr(owner, name)

        def erased_before(*given: Any, **named: Any) -> Any:
            if line in ("freeze", "score"):
                found = there(*given, **named)
                in_thread(lambda: erase_author(platform, later(2))).join(WAIT_SECONDS)
                return found
            in_thread(lambda: erase_author(platform, later(2))).join(WAIT_SECONDS)
            return there(*given, **named)

        monkeypatch.setattr(owner, name, erased_before)
        score.run(revision_ids=[pending.revisions.get().pk], at=later(1))

        assert not Score.objects.exists()
        traces = (SimilarityBand, AuthorBand, CampaignMember, CampaignTrait)
        assert [model for model in traces if model.objects.exists()] == []
        assert rows_with("xyzzy pills", "Mallory", "203.0.113") == []

    def test_an_explanation_is_not_written(
        self, pending: Post, platform: Platform, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        score.run(revision_ids=[pending.revisions.get().pk], at=later(1))
        row = Score.objects.get()

        def words(_score: Score) -> list[list[float]]:
            in_thread(lambda: erase_author(platform, later(2))).join(WAIT_SECONDS)
            return [[0.0, 3.0, 0.5]]

        monkeypatch.setattr(explanations, "words_of", words)
        monkeypatch.setattr(explanations, "_counterfactual", lambda _score: {"subject": "xyzzy"})
        explanations.explain(score_id=row.pk)

        row.refresh_from_db()
        assert (row.word_contributions, row.counterfactual) == (None, {"impossible": "erased"})

    def test_what_a_provider_says_is_not_written(
        self, pending: Post, platform: Platform, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def said(*_: object, **__: object) -> Said:
            in_thread(lambda: erase_author(platform, later(2))).join(WAIT_SECONDS)
            return Said(value=1.0, detail="xyzzy", holds_for=later(9) - later(1))

        class Provider:
            name = WebRisk.name

            def subject(self, link: Any) -> str:
                return str(link.url_digest)

        monkeypatch.setattr(inquiry, "_providers", lambda: (Provider(),))
        monkeypatch.setattr(inquiry, "_said", said)
        inquiry.ask(revision_ids=[pending.revisions.get().pk], at=later(1))

        assert not LinkVerdict.objects.exists()

    @pytest.mark.parametrize("what", ["post", "bulk", "complaint", "note", "decision"])
    def test_what_waited_for_the_erasure_finds_nobody(
        self, open_case: Case_, platform: Platform, incoming: Incoming, lead: User, what: str
    ) -> None:
        """The erasure holds its locks while a writer that knows the author is on its way."""
        case = open_case(text="plain words", author=MALLORY)
        claims.claim(case_id=case.pk, moderator=lead, at=later(2))
        late = [
            incoming(external_id=f"late-{number}", text="late", author=MALLORY)
            for number in range(2 if what == "bulk" else 1)
        ]
        complaint = IncomingComplaint(
            post=case.post.external_id, reporter="mallory", reason="spam", reported_at=later(2), note="xyzzy"
        )
        writers: dict[str, Callable[[], object]] = {
            "post": lambda: ingest.accept(platform=platform, posts=late, at=later(3)),
            "bulk": lambda: ingest.accept(platform=platform, posts=late, at=later(3)),
            "complaint": lambda: complaints.record(platform=platform, complaint=complaint, at=later(3)),
            "note": lambda: notes.write(case=case, author=lead, text="xyzzy", at=later(3)),
            "decision": lambda: in_case(case, lead, at=later(3)),
        }
        with transaction.atomic():
            erase_author(platform, later(3))
            writer = in_thread(writers[what], passes=refusals.Erased)
            wait_until_blocked()
        writer.join(WAIT_SECONDS)

        assert not writer.is_alive()
        assert not Post.objects.filter(author__erased_at__isnull=False, erased_at__isnull=True).exists()
        assert not Author.objects.filter(erased_at__isnull=False).exclude(display_name="").exists()
        written = (CaseNote, Complaint, Decision)
        assert [model for model in written if model.objects.exists()] == []
        assert rows_with("xyzzy") == []
        if what in ("post", "bulk"):
            assert Post.objects.filter(author__external_id="mallory").count() == len(late)

    def test_a_note_on_the_way_is_wiped(self, open_case: Case_, platform: Platform, lead: User) -> None:
        case = open_case(author=MALLORY)
        with transaction.atomic():
            judge(case, lead, at=later(3), note="xyzzy")
            eraser = in_thread(lambda: erase_author(platform, later(3)))
            wait_until_blocked()
        eraser.join(WAIT_SECONDS)

        assert not eraser.is_alive()
        assert rows_with("xyzzy") == []


def erase_author(platform: Platform, at: datetime) -> None:
    erase.author(platform=platform, external_id="mallory", at=at)


def in_case(case: Case, lead: User, *, at: datetime) -> None:
    with suppress(refusals.CaseClosed):
        review.decide(
            case_id=case.pk, case_version=1, moderator=lead, verdict=Verdict.SPAM, note="xyzzy", at=at
        )


def wait_until_blocked() -> None:
    """Wait until somebody waits for a lock of ours."""
    for _ in range(600):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            [(ours,)] = cursor.fetchall()
            # Not pg_stat_activity: a transaction sees in it who was connected when it first looked.
            cursor.execute("SELECT count(*) FROM pg_locks WHERE %s = ANY(pg_blocking_pids(pid))", [ours])
            [(waiting,)] = cursor.fetchall()
        if waiting:
            return
        threading.Event().wait(0.05)
    raise AssertionError("nobody waits")
