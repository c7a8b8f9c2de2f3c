"""The list of decisions: found, undone, corrected."""

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Decision, DecisionAction, Reason, User
from moderation.models.decisions import AUTOMATIC_REASONS
from moderation.models.rules import RuleKind
from moderation.operations.campaigns import new_members
from moderation.operations.decisions import recording
from tests.moderation.conftest import Case_, Decided, Judged
from tests.moderation.web.conftest import DeskOf, asked, flat


def exported(desk: Client, query: str = "") -> list[dict[str, str]]:
    answer = desk.get(f"/decisions/csv/{query}")
    assert answer.streaming
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


@pytest.mark.usefixtures("decision")
class TestDecisions:
    @pytest.fixture
    def decision(self, open_case: Case_, decided: Decided) -> Decision:
        made = decided(open_case())
        Decision.objects.update(effective_at=timezone.now() - timedelta(seconds=1))
        return made

    def test_show_ones_own_and_to_leads_everyones(self, desk: Client, lead_desk: Client) -> None:
        assert "grey cat" in desk.get("/decisions/").content.decode()
        assert "grey cat" in lead_desk.get("/decisions/").content.decode()
        assert "grey cat" not in lead_desk.get("/decisions/?whose=mine").content.decode()

    def test_never_show_others_to_a_moderator(self, desk_of: DeskOf, other_moderator: User) -> None:
        desk = desk_of(other_moderator)

        assert "grey cat" not in desk.get("/decisions/?whose=everyone").content.decode()
        assert exported(desk, "?whose=everyone") == []

    def test_are_corrected_with_a_reason(self, desk: Client, decision: Decision) -> None:
        desk.post(f"/decisions/{decision.pk}/correct/", {"verdict": "not_spam", "reason": "A joke"})

        assert Decision.objects.get(reversal__isnull=True).verdict == "not_spam"
        assert "corrected by moderator: A joke" in flat(desk.get("/decisions/").content.decode())

    def test_are_not_corrected_without_one(self, desk: Client, decision: Decision) -> None:
        answer = desk.post(f"/decisions/{decision.pk}/correct/", {"verdict": "not_spam", "reason": " "})

        assert Decision.objects.count() == 1
        assert answer.status_code == 422
        assert "needs a reason" in answer.content.decode()

    def test_can_be_corrected_on_a_page_that_says_what_happens(
        self, desk: Client, decision: Decision, reasons: dict[str, Reason]
    ) -> None:
        assert f'href="/decisions/{decision.pk}/correct/"' in desk.get("/decisions/").content.decode()
        body = desk.get(f"/decisions/{decision.pk}/correct/").content.decode()
        form = {"verdict": "not_spam", "reason": "w" * 500, "code": "ordinary"}
        desk.post(f"/decisions/{decision.pk}/correct/", form)

        assert "The training label is retracted and replaced." in body
        right = Decision.objects.get(verdict="not_spam")
        assert (right.reason, right.note) == ("ordinary", "w" * 500)

    def test_that_can_be_undone_are_not_corrected(self, desk: Client, decision: Decision) -> None:
        Decision.objects.update(effective_at=timezone.now() + timedelta(minutes=5))

        body = desk.get(f"/decisions/{decision.pk}/correct/").content.decode()

        assert "this can still be undone" in body


@pytest.mark.usefixtures("decision")
class TestFilters:
    def test_hold_the_reasons_of_automatic_decisions_for_leads(self, desk: Client, lead_desk: Client) -> None:
        body = lead_desk.get("/decisions/").content.decode()

        assert {code for code in AUTOMATIC_REASONS if f'value="{code}"' in body} == set(AUTOMATIC_REASONS)
        assert "ban: phone number" in body
        own = desk.get("/decisions/").content.decode()
        assert not any(word in own for word in ("banned_phone", 'name="whose"'))

    def test_rows_tell_reasons_in_words(self, lead_desk: Client, reasons: dict[str, Reason]) -> None:
        assert f">{reasons['scam'].title}</span>" in lead_desk.get("/decisions/").content.decode()

        Decision.objects.update(reason="banned_phone", source="automatic", decided_by=None)

        assert ">ban: phone number</span>" in lead_desk.get("/decisions/?whose=filter").content.decode()

    def test_know_every_reason_that_automatic_decisions_have(self) -> None:
        banned = {f"banned_{kind}" for kind in RuleKind.values}

        assert set(AUTOMATIC_REASONS) == banned | {"allowed", new_members.REASON, recording.RECONSIDERED}

    @pytest.fixture
    def decision(self, open_case: Case_, decided: Decided) -> Decision:
        made = decided(open_case(at=timezone.now()))
        Decision.objects.update(reason="scam", note="=1+1", decided_at=datetime(2026, 3, 5, 23, tzinfo=UTC))
        return made

    @pytest.mark.parametrize(
        ("query", "is_found"),
        [("whose=filter", False), ("whose=99999999999999999999", True), ("whose=nonsense", True),
         ("whose=0", True), ("reason=scam", True), ("reason=ordinary", False), ("reason=nonsense", True),
         ("verdict=nonsense", True), ("since=2026-03-05&until=2026-03-05", True),
         ("since=2026-03-06", False), ("until=2026-03-04", False),
         ("since=nonsense&until=9999-12-31", True), ("verdict=spam&reason=scam&q=honest_author", True),
         ("q=spammer", False)],
    )  # fmt: skip
    def test_find(self, lead_desk: Client, reasons: object, query: str, is_found: bool) -> None:
        assert ("grey cat" in lead_desk.get(f"/decisions/?{query}").content.decode()) is is_found

    def test_find_by_person(self, lead_desk: Client, moderator: User, other_moderator: User) -> None:
        assert "grey cat" in lead_desk.get(f"/decisions/?whose={moderator.pk}").content.decode()
        assert "grey cat" not in lead_desk.get(f"/decisions/?whose={other_moderator.pk}").content.decode()

    def test_find_what_the_filter_decided(self, lead_desk: Client) -> None:
        Decision.objects.update(source="automatic", decided_by=None, reason="allowed")

        for query in ("whose=filter", "whose=everyone", "reason=allowed"):  # another filter is for everyone's
            assert "grey cat" in lead_desk.get(f"/decisions/?{query}").content.decode()
        assert "grey cat" not in lead_desk.get("/decisions/").content.decode()
        assert exported(lead_desk) == []

    def test_go_on_to_the_next_page(self, lead_desk: Client, reasons: object, judged_alike: Judged) -> None:
        judged_alike(Case.objects.get(), probability=0.5, spam=60, fine=0, decision={"reason": "scam"})

        body = lead_desk.get("/decisions/?reason=scam").content.decode()

        assert "?reason=scam&amp;cursor=" in body

    def test_need_the_same_few_queries_for_any_number_of_rows(
        self, lead_desk: Client, judged_alike: Judged
    ) -> None:
        lead_desk.get("/decisions/")
        assert len(asked(lead_desk, "/decisions/")) == 7
        judged_alike(Case.objects.get(), probability=0.5, spam=20, fine=20)

        assert len(asked(lead_desk, "/decisions/")) == 7


class TestExport:
    def test_has_what_the_filters_find(self, lead_desk: Client, open_case: Case_, decided: Decided) -> None:
        made = decided(open_case())
        decided(open_case(), verdict="not_spam")
        Decision.objects.filter(pk=made.pk).update(note="=cmd()")

        [row] = exported(lead_desk, "?verdict=spam")

        assert (row["decision_id"], row["decided_by"], row["note"]) == (str(made.pk), "moderator", "'=cmd()")
        assert row["post_id"] == made.post.external_id

    def test_tells_what_became_of_a_decision(self, desk: Client, open_case: Case_, decided: Decided) -> None:
        made = decided(open_case())
        DecisionAction.objects.create(decision=made, action="limit", state="in_force", until=timezone.now())
        Decision.objects.update(effective_at=timezone.now() - timedelta(seconds=1))
        desk.post(f"/decisions/{made.pk}/correct/", {"verdict": "not_spam", "reason": "A joke"})

        right, wrong = exported(desk)

        assert right["replaced_by"] == ""
        assert wrong["replaced_by"] == right["decision_id"]
        assert wrong["reversed_by"] == "moderator"
        assert (wrong["action"], wrong["action_state"], right["action"]) == ("limit", "in_force", "")
        assert wrong["action_until"].startswith("20")

    def test_leaves_out_nothing_between_batches(
        self, lead_desk: Client, open_case: Case_, judged_alike: Judged, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("moderation.queries.decisions.decision_pages._BATCH", 3)
        judged_alike(open_case(), probability=0.5, spam=7, fine=1)

        assert len({row["decision_id"] for row in exported(lead_desk)}) == 8
