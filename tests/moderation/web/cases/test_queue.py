"""The queue as a moderator sees it: its list, why a case stands where it does, and the case in front."""

import dataclasses
import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import AuthorDeletion, Case, Complaint, Reason, User
from moderation.models.cases import CaseReason
from moderation.operations.accounts import platforms
from moderation.operations.cases import claims
from moderation.queries.cases import queue, queue_filter
from moderation.queries.cases.queue import QueueRow
from moderation.queries.cases.queue_filter import Sort
from moderation.web.cases import queue_position
from tests.moderation.conftest import Case_
from tests.moderation.counted_case import report_it
from tests.moderation.fakes import FakeScorer
from tests.moderation.web.conftest import HTMX, asked, flat


class TestQueue:
    def test_lists_the_most_harmful_first_with_its_reason(
        self, desk: Client, open_case: Case_, fake_scorer: FakeScorer
    ) -> None:
        fake_scorer.probabilities = {"mild": 0.3, "wild": 0.8}
        open_case(text="mild")
        open_case(text="wild")

        body = desk.get("/queue/").content.decode()

        assert body.index("wild") < body.index("mild")
        assert "Not sure enough to remove" in body
        assert "80%" in body
        assert "Leaning not spam" in body
        rows = flat(desk.get("/queue/", headers=HTMX).content.decode())
        assert "no known reach" in rows, "no number without a unit, no column of one word"
        assert not re.search(r"harm|title=", rows)
        assert not re.search(r"Models unsure|Claim: free|\bfree\b", rows)

    def test_says_what_machines_reported_and_offers_to_hide_it(self, desk: Client, open_case: Case_) -> None:
        report_it(open_case().post, at=timezone.now())
        offer = "Without those only machines reported"
        before = desk.get("/queue/").content.decode()
        Complaint.objects.update(is_automated=True)

        body = flat(desk.get("/queue/").content.decode())

        assert offer not in before
        assert "1 automated" in body
        assert offer in body
        assert "1 automated" not in desk.get("/queue/?hides_automated=on").content.decode()

    def test_shows_no_probability_of_an_audit_sample(self, desk: Client, open_case: Case_) -> None:
        open_case()
        Case.objects.update(reason="audit")

        body = desk.get("/queue/").content.decode()

        assert "hidden: audit sample" in body
        assert "50%" not in body

    def test_marks_cases_whose_author_deleted_the_account(self, desk: Client, open_case: Case_) -> None:
        case = open_case()
        pages = ("/queue/", f"/review/{case.pk}/")
        assert not any("deleted" in flat(desk.get(page, headers=HTMX).content.decode()) for page in pages)

        AuthorDeletion.objects.create(author=case.post.author, deleted_at=timezone.now())

        marks = ("account deleted", "author deleted the account")
        for page, mark in zip(pages, marks, strict=True):
            assert mark in flat(desk.get(page).content.decode())

    def test_needs_the_same_few_queries_for_any_number_of_rows(self, desk: Client, open_case: Case_) -> None:
        desk.get("/queue/")
        for name, more in (("shop", 3), ("stall", 9)):
            for number in range(more):
                open_case(text=f"https://{name}{number}.example/ offer")

            assert len(asked(desk, "/queue/")) == 10

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

    def test_says_why_it_is_empty(self, desk: Client, open_case: Case_, admin: User) -> None:
        assert "Every post that needed review" in desk.get("/queue/").content.decode()

        platforms.switch_off(platform_id=open_case().platform_id, actor=admin, at=timezone.now())

        body = desk.get("/queue/").content.decode()
        assert "Cases of platforms that are off" in body
        assert "Every post that needed review" not in body

    def test_hidden_characters_do_not_fill_the_list(self, desk: Client, open_case: Case_) -> None:
        open_case(text="\u200b".join("free pills for everybody"))

        html = desk.get("/queue/").content.decode()

        assert "free pills for everybody" in html
        assert "23 hidden characters" in html


def chips(html: str) -> dict[str, str]:
    """The numbers on the chips."""
    found = re.findall(r'<b id="count-(\w+)"[^>]*>([^<]*)</b>', flat(html))
    return {name: number for name, number in found if number != "0"}


class TestChips:
    @pytest.fixture(autouse=True)
    def cases(self, open_case: Case_) -> None:
        given = (("uncertain", "de"), ("uncertain", "de"), ("complaints", "de"), ("audit", "fr"))
        for number, (reason, language) in enumerate(given):
            case = open_case(text=f"see https://shop{number}.example/")
            Case.objects.filter(pk=case.pk).update(reason=reason, language=language)

    @pytest.mark.drawn(4)
    @pytest.mark.parametrize(
        ("query", "shown"),
        [
            ("", {"all": "4", "uncertain": "2", "complaints": "1", "audit": "1"}),
            ("language=de", {"all": "3", "uncertain": "2", "complaints": "1"}),
            ("language=de&reason=audit", {"all": "3", "uncertain": "2", "complaints": "1"}),
            ("domain=shop2.example", {"all": "1", "complaints": "1"}),
            ("age=0", {}),
            ("language=nl", {}),
        ],
    )
    @pytest.mark.parametrize("headers", [{}, HTMX])
    def test_count_what_the_other_filters_match(
        self, desk: Client, query: str, shown: dict[str, str], headers: dict[str, str]
    ) -> None:
        html = desk.get(f"/queue/?{query}", headers=headers).content.decode()

        assert chips(html) == shown
        assert ("hx-swap-oob" in html) is bool(headers)

    def test_that_find_nothing_say_so(self, desk: Client) -> None:
        html = flat(desk.get("/queue/?language=nl").content.decode())

        assert '<b id="count-all" data-none>0</b>' in html
        assert 'id="count-uncertain" data-none' in html

    def test_are_not_counted_again_for_a_further_page(self, desk: Client) -> None:
        reader, now = User.objects.get(), timezone.now()
        page = queue.rows(viewer=reader, wanted=queue_filter.EVERYTHING, at=now, limit=2)

        html = desk.get(f"/queue/?cursor={page.next_cursor}", headers=HTMX).content.decode()

        assert "count-all" not in html


class TestPick:
    def test_is_offered_for_a_case_of_one_s_own_and_not_for_one_that_another_holds(
        self, desk: Client, open_case: Case_, moderator: User, other_moderator: User
    ) -> None:
        own, free, taken = (open_case(text=text) for text in ("own", "free", "taken"))
        claims.claim(case_id=own.pk, moderator=moderator, at=timezone.now())
        claims.claim(case_id=taken.pk, moderator=other_moderator, at=timezone.now())

        html = desk.get("/queue/").content.decode()

        offered = {case.pk for case in (own, free, taken) if f'value="{case.pk}:' in html}
        assert offered == {own.pk, free.pk}
        assert "other_moderator" in html


def row(*, followers: int | None, spread: int) -> QueueRow:
    rest: dict[str, Any] = {field.name: None for field in dataclasses.fields(QueueRow)}
    return QueueRow(**rest | {"followers": followers, "spread": spread})


class TestPosition:
    def test_every_reason_has_short_words_of_its_own(self) -> None:
        assert set(queue_position._REASONS) == set(CaseReason)

    @pytest.mark.parametrize(
        ("followers", "spread", "words"),
        [
            (13, 6, "13 followers · 6 reactions"),
            (1, 0, "1 follower"),
            (None, 1, "1 reaction"),
            (None, 0, "no known reach"),
            (0, 0, "no known reach"),
        ],
    )
    def test_the_default_order_is_told_by_whom_a_post_reaches(
        self, followers: int | None, spread: int, words: str
    ) -> None:
        """Never by the product that orders it, "harm 4.7"."""
        assert queue_position.place_words(row(followers=followers, spread=spread), Sort.HARM) == words


class TestReasonsOffered:
    def test_are_offered_and_those_proposed_that_complaints_speak_for(
        self, desk: Client, case_in_front: Case, reasons: dict[str, Reason]
    ) -> None:
        report_it(case_in_front.post, at=timezone.now(), reason="scam")

        body = desk.get(f"/review/{case_in_front.pk}/").content.decode()

        assert body.count("reason--proposed") == 1
        assert 'title="Proposed: 1 complaint.' in body
        assert "Ordinary post" in body


class TestPreferences:
    @pytest.mark.parametrize(
        ("blur", "complaint", "is_blurred"),
        [
            ("never", "adult", False),
            ("graphic", "adult", True),
            ("graphic", "spam", False),
            ("always", "spam", True),
        ],
    )
    def test_blurs_what_a_person_does_not_want_to_see_at_once(
        self, desk: Client, case_in_front: Case, blur: str, complaint: str, is_blurred: bool
    ) -> None:
        User.objects.update(stored_preferences={"blur": blur})
        report_it(case_in_front.post, at=timezone.now(), reason=complaint)

        body = desk.get(f"/review/{case_in_front.pk}/").content.decode()

        assert ("case--blurred" in body) is is_blurred
