"""Queue, decisions, domains, exports, account and health through their addresses."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Decision, Export, Reason, User
from moderation.models.cases import Verdict
from moderation.operations.cases import claims, review
from moderation.operations.infrastructure import probe
from moderation.operations.infrastructure.probe import Answer, Part
from moderation.operations.labels import export_build
from moderation.queries.cases import queue
from tests.moderation.fakes import FakeScorer
from tests.moderation.web.conftest import HTMX

Case_ = Callable[..., Case]


class TestQueue:
    def test_lists_the_most_harmful_first_with_its_reason(
        self, desk: Client, open_case: Case_, fake_scorer: FakeScorer
    ) -> None:
        fake_scorer.probabilities = {"mild": 0.3, "wild": 0.8}
        open_case(text="mild")
        open_case(text="wild")

        body = desk.get("/queue/").content.decode()

        assert body.index("wild") < body.index("mild")
        assert "Models unsure" in body
        assert "80%" in body
        assert "Leaning not spam" in body

    def test_shows_no_probability_of_an_audit_sample(self, desk: Client, open_case: Case_) -> None:
        open_case()
        Case.objects.update(reason="audit")

        body = desk.get("/queue/").content.decode()

        assert "hidden: audit sample" in body
        assert "50%" not in body

    def test_needs_the_same_few_queries_for_any_number_of_rows(
        self, desk: Client, open_case: Case_, django_assert_num_queries: Any
    ) -> None:
        desk.get("/queue/")
        for number in range(3):
            open_case(text=f"https://shop{number}.example/ offer")
        with django_assert_num_queries(8):
            desk.get("/queue/")
        for number in range(9):
            open_case(text=f"https://stall{number}.example/ offer")

        with django_assert_num_queries(8):
            desk.get("/queue/")

    @pytest.mark.parametrize(
        ("query", "found"),
        [("reason=audit", False), ("domain=shop.example", True), ("domain=other.example", False),
         ("language=fr", True), ("language=de", False), ("reason=nonsense", True),
         ("age=0", True), ("age=4", False), ("sort=newest&age=9", True)],
    )  # fmt: skip
    def test_filters(self, desk: Client, open_case: Case_, query: str, found: bool) -> None:
        open_case(text="see https://shop.example/a", language="fr")
        Case.objects.update(opened_at=timezone.now())

        body = desk.get(f"/queue/?{query}", headers=HTMX).content.decode()

        assert ("shop[.]example" in body) is found

    def test_pages_without_gaps_or_repeats(self, desk: Client, open_case: Case_) -> None:
        made = {f"/review/{open_case(text=f'post {number}').pk}/" for number in range(7)}
        first = queue.rows(viewer=User.objects.get(), wanted=queue.QueueFilter(), at=timezone.now(), limit=4)
        second = queue.rows(
            viewer=User.objects.get(),
            wanted=queue.QueueFilter(),
            at=timezone.now(),
            limit=4,
            cursor=first.next_cursor,
        )

        shown = [f"/review/{row.case_id}/" for row in (*first.rows, *second.rows)]
        assert len(shown) == len(set(shown)) == 7
        assert set(shown) == made
        assert second.next_cursor == ""

    def test_refuses_a_made_up_cursor(self, desk: Client) -> None:
        assert desk.get("/queue/?cursor=nonsense").status_code == 404

    def test_is_friendly_when_empty(self, desk: Client) -> None:
        assert "The queue is empty" in desk.get("/queue/").content.decode()

    def test_shows_who_holds_a_case(self, desk: Client, open_case: Case_, other_moderator: User) -> None:
        claims.claim(case_id=open_case().pk, moderator=other_moderator, at=timezone.now())

        assert "other_moderator" in desk.get("/queue/").content.decode()


class TestDecisions:
    @pytest.fixture
    def decision(self, case_in_front: Case, moderator: User) -> Decision:
        decided = review.decide(
            case_id=case_in_front.pk,
            case_version=case_in_front.version,
            moderator=moderator,
            verdict=Verdict.SPAM,
            at=timezone.now(),
        )
        Decision.objects.update(effective_at=timezone.now() - timedelta(seconds=1))
        return decided

    def test_show_ones_own_and_to_leads_everyones(
        self, desk: Client, lead_desk: Client, decision: Decision
    ) -> None:
        assert "grey cat" in desk.get("/decisions/").content.decode()
        assert "grey cat" not in lead_desk.get("/decisions/").content.decode()
        assert "grey cat" in lead_desk.get("/decisions/?whose=everyone").content.decode()

    def test_never_show_others_to_a_moderator(
        self, desk_of: Callable[[User], Client], other_moderator: User, decision: Decision
    ) -> None:
        body = desk_of(other_moderator).get("/decisions/?whose=everyone").content.decode()

        assert "grey cat" not in body

    @pytest.mark.parametrize(("text", "found"), [("honest_author", True), ("spammer", False)])
    def test_are_found_by_author(self, desk: Client, decision: Decision, text: str, found: bool) -> None:
        assert ("grey cat" in desk.get(f"/decisions/?q={text}").content.decode()) is found

    def test_are_corrected_with_a_reason(self, desk: Client, decision: Decision) -> None:
        desk.post(f"/decisions/{decision.pk}/correct/", {"verdict": "not_spam", "reason": "A joke"})

        assert Decision.objects.get(reversal__isnull=True).verdict == "not_spam"
        assert "corrected by moderator: A joke" in desk.get("/decisions/").content.decode()

    def test_are_not_corrected_without_one(self, desk: Client, decision: Decision) -> None:
        answer = desk.post(f"/decisions/{decision.pk}/correct/", {"verdict": "not_spam", "reason": " "})

        assert Decision.objects.count() == 1
        assert answer.status_code == 422
        assert "needs words that say why" in answer.content.decode()

    def test_can_be_corrected_on_a_page_that_says_what_happens(
        self, desk: Client, decision: Decision, reasons: dict[str, Reason]
    ) -> None:
        body = desk.get(f"/decisions/{decision.pk}/correct/").content.decode()
        form = {"verdict": "not_spam", "reason": "w" * 500, "code": "ordinary"}
        desk.post(f"/decisions/{decision.pk}/correct/", form)

        assert "The label for training is retracted and replaced." in body
        right = Decision.objects.get(verdict="not_spam")
        assert (right.reason, right.note) == ("ordinary", "w" * 500)

    def test_that_can_be_undone_are_not_corrected(self, desk: Client, decision: Decision) -> None:
        Decision.objects.update(effective_at=timezone.now() + timedelta(seconds=5))

        body = desk.get(f"/decisions/{decision.pk}/correct/").content.decode()

        assert "this can still be undone" in body

    def test_of_others_are_corrected_by_leads_only(
        self,
        desk_of: Callable[[User], Client],
        other_moderator: User,
        lead_desk: Client,
        decision: Decision,
    ) -> None:
        form = {"verdict": "not_spam", "reason": "A joke"}

        desk_of(other_moderator).post(f"/decisions/{decision.pk}/correct/", form)
        assert Decision.objects.count() == 1

        lead_desk.post(f"/decisions/{decision.pk}/correct/", form)
        assert Decision.objects.count() == 2


class TestExports:
    def test_are_asked_for_built_and_downloaded(
        self, lead_desk: Client, lead: User, settings: Any, tmp_path: Path
    ) -> None:
        settings.EXPORT_DIR = tmp_path
        assert 'value="parquet"' in lead_desk.get("/exports/").content.decode()
        lead_desk.post("/exports/", {"since": "2026-01-01", "until": "2026-01-31", "format": "csv"})
        asked = Export.objects.get()
        assert (asked.requested_by, str(asked.since), str(asked.until)) == (
            lead,
            "2026-01-01 00:00:00+00:00",
            "2026-02-01 00:00:00+00:00",
        )
        assert lead_desk.get(f"/exports/{asked.pk}/download/").status_code == 404

        export_build.build(export_id=asked.pk, at=timezone.now())

        body = lead_desk.get(f"/exports/{asked.pk}/", headers=HTMX).content.decode()
        assert "SHA-256" in body
        answer = lead_desk.get(f"/exports/{asked.pk}/download/")
        assert answer.headers["Content-Disposition"] == f'attachment; filename="labels-{asked.pk}-1.csv"'
        assert b"".join(answer).startswith(b'"schema_version","id","text"')

    def test_refuse_a_window_that_ends_before_it_begins(self, lead_desk: Client) -> None:
        answer = lead_desk.post("/exports/", {"since": "2026-02-01", "until": "2026-01-31"})

        assert answer.status_code == 422
        assert not Export.objects.exists()

    def test_whose_file_is_gone_are_not_found(
        self, lead_desk: Client, lead: User, settings: Any, tmp_path: Path
    ) -> None:
        settings.EXPORT_DIR = tmp_path
        gone = Export.objects.create(
            requested_by=lead, requested_at=timezone.now(), state="ready", file_name="labels-1.jsonl"
        )

        assert lead_desk.get(f"/exports/{gone.pk}/download/").status_code == 404


class TestAccount:
    def test_leads_to_comfort_and_pace(self, desk: Client) -> None:
        body = desk.get("/account/").content.decode()

        assert "/account/comfort/" in body
        assert "/account/pace/" in body

    def test_ignores_a_forged_cookie(self, desk: Client) -> None:
        desk.cookies["theme"] = '"><script>'

        assert 'data-theme="' not in desk.get("/queue/").content.decode()


class TestHealth:
    def test_names_what_is_down_and_still_answers(
        self, desk: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse() -> tuple[str, ...]:
            raise ConnectionError

        for part in (Part.TRITON, Part.WORKERS):
            monkeypatch.setitem(probe._ASKED, part, refuse)

        body = desk.get("/health/").content.decode()

        assert body.count("service--down") == 2
        assert "posts are scored without their text" in body
        assert "Cases in the queue" in body

    def test_tells_in_the_readers_language_what_answers(
        self, desk: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answers = [
            Answer(part=Part.DATABASE, is_up=True, latency_ms=1471.2),
            Answer(part=Part.BROKER, is_up=False, is_overdue=True),
            Answer(part=Part.WORKERS, is_up=True, latency_ms=800, workers=("default", "scoring")),
            Answer(part=Part.TRITON, is_up=False),
        ]
        monkeypatch.setattr(probe, "ask", lambda _parts: answers)
        desk.cookies["django_language"] = "de"

        body = desk.get("/health/").content.decode()

        for told in (
            "antwortet in 1.471 ms",
            "keine Antwort in 2 s",
            "2 Worker antworten: default, scoring",
        ):
            assert told in body
        assert "antwortet nicht" in body
