"""Trial 31, by name: ids that erased authors had, and words that come back while something is erased."""

from __future__ import annotations

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
    SavedFilter,
    Score,
    SimilarityBand,
    User,
)
from moderation.models.cases import Verdict
from moderation.operations import complain, erase, explain, ingest, note, reverse, review, score
from moderation.operations.complain import IncomingComplaint
from moderation.operations.incoming import IncomingAuthor, IncomingPost
from moderation.operations.reputation import inquiry
from moderation.operations.reputation.provider import Said
from moderation.queries import records
from tests.moderation.conftest import Case_, Post_
from tests.moderation.fakes import FakeScorer

Later = Callable[[float], datetime]
WAIT_SECONDS = 60
MALLORY = IncomingAuthor(
    external_id="mallory", display_name="Mallory Malicious", email_domain="mallory.example"
)


def in_thread(work: Callable[[], object]) -> threading.Thread:
    """Run with a connection of its own, as another process would."""

    def run() -> None:
        try:
            work()
        except erase.Erased:
            pass
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def rows_with(*words: str) -> list[str]:
    """Return the tables in which a word stands, the audit log included."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            for word in words:
                cursor.execute(
                    f'SELECT 1 FROM "{table}" WHERE "{table}"::text ILIKE %s LIMIT 1', [f"%{word}%"]
                )
                found += [f"{table}: {word}" for _ in cursor.fetchall()]
    return found


@pytest.mark.django_db
class TestIds:
    def test_of_erased_authors_lead_nowhere(self, platform: Platform, post: Post_, later: Later) -> None:
        author = post(author=MALLORY).author

        erase.author(platform=platform, external_id="mallory", at=later(1))

        author.refresh_from_db()
        assert (author.external_id, author.display_name) == (None, "")
        with pytest.raises(Author.DoesNotExist):
            erase.author(platform=platform, external_id=f"erased:{author.pk}", at=later(2))

    @pytest.mark.parametrize("name", ["erased:{}", "None", "null", ""])
    def test_join_nobody_to_an_erased_author(
        self, platform: Platform, post: Post_, later: Later, name: str
    ) -> None:
        gone = post(author=MALLORY).author
        erase.author(platform=platform, external_id="mallory", at=later(1))

        named = IncomingAuthor(external_id=name.format(gone.pk), display_name="Somebody")
        fresh = post(author=named, at=later(2))

        gone.refresh_from_db()
        assert fresh.author_id != gone.pk
        assert gone.display_name == ""

    def test_block_no_erasure(self, platform: Platform, post: Post_, later: Later) -> None:
        victim = post(author=IncomingAuthor(external_id="victim")).author
        post(author=IncomingAuthor(external_id=f"erased:{victim.pk}"))

        erase.author(platform=platform, external_id="victim", at=later(1))
        erase.author(platform=platform, external_id=f"erased:{victim.pk}", at=later(1))

        assert Author.objects.filter(erased_at__isnull=False, external_id__isnull=True).count() == 2

    def test_that_the_release_before_made_up_are_taken_away(
        self, platform: Platform, post: Post_, later: Later
    ) -> None:
        gone = post(author=MALLORY).author
        erase.author(platform=platform, external_id="mallory", at=later(1))
        Author.objects.filter(pk=gone.pk).update(external_id=f"erased:{gone.pk}", display_name="Mallory")

        erase.expired(at=later(2))

        gone.refresh_from_db()
        assert (gone.external_id, gone.display_name) == (None, "")

    def test_of_a_post_are_refused_and_of_an_author_are_new(
        self, platform: Platform, post: Post_, incoming: Callable[..., IncomingPost], later: Later
    ) -> None:
        gone = post(external_id="p-1", author=MALLORY)
        erase.author(platform=platform, external_id="mallory", at=later(1))

        again = incoming(external_id="p-1", author=MALLORY, revision=2)
        other = incoming(external_id="p-2", author=MALLORY)
        refused, taken = ingest.accept(platform=platform, posts=[again, other], at=later(2))

        assert isinstance(refused, ingest.Refused)
        assert refused.code == "erased"
        assert isinstance(taken, ingest.Accepted)
        assert Post.objects.get(pk=taken.post_id).author_id != gone.author_id


@pytest.mark.django_db
class TestWords:
    def test_of_a_correction_go(self, open_case: Case_, lead: User, later: Later) -> None:
        case = review.claim(case_id=open_case(text="spam?").pk, moderator=lead, at=later(2))
        wrong = review.decide(
            case_id=case.pk, case_version=1, moderator=lead, verdict=Verdict.SPAM, note="plugh", at=later(3)
        )
        reverse.correct(
            decision_id=wrong.pk,
            verdict=Verdict.NOT_SPAM,
            moderator=lead,
            at=later(99),
            reason="xyzzy of Mallory",
        )

        erase.post(post_id=case.post_id, at=later(100))

        assert rows_with("xyzzy", "plugh") == []

    def test_written_afterwards_are_refused_or_dropped(
        self, open_case: Case_, lead: User, later: Later
    ) -> None:
        case = review.claim(case_id=open_case(text="spam?").pk, moderator=lead, at=later(2))
        made = review.decide(
            case_id=case.pk, case_version=1, moderator=lead, verdict=Verdict.SPAM, at=later(3)
        )
        erase.post(post_id=case.post_id, at=later(4))

        with pytest.raises(erase.Erased):
            note.write(case=case, author=lead, text="xyzzy", at=later(5))
        with pytest.raises(erase.Erased):
            reverse.undo(decision_id=made.pk, moderator=lead, at=later(5))
        reverse.correct(
            decision_id=made.pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=later(99), reason="xyzzy"
        )

        assert rows_with("xyzzy") == []

    def test_of_kept_filters_go_where_they_name_the_author(
        self, platform: Platform, post: Post_, lead: User, later: Later
    ) -> None:
        post(author=MALLORY)
        filters = {
            "who": "q=mallory+malicious",
            "by id": "q=mallory",
            "of Mallory Malicious": "",
            "else": "q=mall",
        }
        for name, query in filters.items():
            SavedFilter.objects.create(user=lead, page="authors", name=name, query=query, created_at=later(0))

        erase.author(platform=platform, external_id="mallory", at=later(1))

        assert list(SavedFilter.objects.values_list("name", flat=True)) == ["else"]

    def test_of_providers_go_with_the_last_link(self, post: Post_, later: Later) -> None:
        one, two = (post(text="look", links=("https://only.example/secret",)) for _ in range(2))
        digest = one.revisions.get().post_links.get().url_digest
        LinkVerdict.objects.create(
            provider="web_risk", subject=digest, value=1.0, fetched_at=later(1), expires_at=later(2)
        )

        left = []
        for row in (one, two):
            erase.post(post_id=row.pk, at=later(3))
            left.append(LinkVerdict.objects.count())

        assert left == [1, 0]


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
        later: Later,
        line: str,
    ) -> None:
        owner, name = {
            "missing": (score.compare, "missing"),
            "gather": (score.campaign_gather, "gather_or_leave"),
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
        self, pending: Post, platform: Platform, monkeypatch: pytest.MonkeyPatch, later: Later
    ) -> None:
        score.run(revision_ids=[pending.revisions.get().pk], at=later(1))
        row = Score.objects.get()

        def words(_score: Score) -> list[list[float]]:
            in_thread(lambda: erase_author(platform, later(2))).join(WAIT_SECONDS)
            return [[0.0, 3.0, 0.5]]

        monkeypatch.setattr(explain, "_words", words)
        monkeypatch.setattr(explain, "_counterfactual", lambda _score: {"subject": "xyzzy"})
        explain.explain(score_id=row.pk)

        row.refresh_from_db()
        assert (row.word_contributions, row.counterfactual) == (None, {"impossible": "erased"})

    def test_what_a_provider_says_is_not_written(
        self, pending: Post, platform: Platform, monkeypatch: pytest.MonkeyPatch, later: Later
    ) -> None:
        def said(*_: object, **__: object) -> Said:
            in_thread(lambda: erase_author(platform, later(2))).join(WAIT_SECONDS)
            return Said(value=1.0, detail="xyzzy", holds_for=later(9) - later(1))

        class Provider:
            name = inquiry.WebRisk.name

            def subject(self, link: Any) -> str:
                return str(link.url_digest)

        monkeypatch.setattr(inquiry, "_providers", lambda: (Provider(),))
        monkeypatch.setattr(inquiry, "_said", said)
        inquiry.ask(revision_ids=[pending.revisions.get().pk], at=later(1))

        assert not LinkVerdict.objects.exists()

    @pytest.mark.parametrize("what", ["post", "bulk", "complaint", "note", "decision"])
    def test_what_waited_for_the_erasure_finds_nobody(
        self,
        open_case: Case_,
        platform: Platform,
        incoming: Callable[..., IncomingPost],
        lead: User,
        later: Later,
        what: str,
    ) -> None:
        """The erasure holds its locks while a writer that knows the author is on its way."""
        case = open_case(text="plain words", author=MALLORY)
        review.claim(case_id=case.pk, moderator=lead, at=later(2))
        late = [
            incoming(external_id=f"late-{number}", text="late", author=MALLORY)
            for number in range(2 if what == "bulk" else 1)
        ]
        complaint = IncomingComplaint(
            post=case.post.external_id, reporter="mallory", reason="spam", reported_at=later(2), note="xyzzy"
        )
        writers: dict[str, Callable[[], object]] = {
            "post": lambda: ingest.accept(platform=platform, posts=late, at=later(3), is_compared=False),
            "bulk": lambda: ingest.accept(platform=platform, posts=late, at=later(3)),
            "complaint": lambda: complain.record(platform=platform, complaint=complaint, at=later(3)),
            "note": lambda: note.write(case=case, author=lead, text="xyzzy", at=later(3)),
            "decision": lambda: in_case(case, lead, at=later(3)),
        }
        with transaction.atomic():
            erase_author(platform, later(3))
            writer = in_thread(writers[what])
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

    def test_a_note_on_the_way_is_wiped(
        self, open_case: Case_, platform: Platform, lead: User, later: Later
    ) -> None:
        case = review.claim(case_id=open_case(author=MALLORY).pk, moderator=lead, at=later(2))
        with transaction.atomic():
            review.decide(
                case_id=case.pk,
                case_version=1,
                moderator=lead,
                verdict=Verdict.SPAM,
                note="xyzzy",
                at=later(3),
            )
            eraser = in_thread(lambda: erase_author(platform, later(3)))
            wait_until_blocked()
        eraser.join(WAIT_SECONDS)

        assert not eraser.is_alive()
        assert rows_with("xyzzy") == []


def erase_author(platform: Platform, at: datetime) -> None:
    erase.author(platform=platform, external_id="mallory", at=at)


def in_case(case: Case, lead: User, *, at: datetime) -> None:
    with suppress(review.CaseClosed):
        review.decide(
            case_id=case.pk, case_version=1, moderator=lead, verdict=Verdict.SPAM, note="xyzzy", at=at
        )


def wait_until_blocked() -> None:
    """Wait until somebody waits for a lock of ours."""
    for _ in range(600):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            [(ours,)] = cursor.fetchall()
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))", [ours]
            )
            [(waiting,)] = cursor.fetchall()
        if waiting:
            return
        threading.Event().wait(0.05)
    raise AssertionError("nobody waits")
