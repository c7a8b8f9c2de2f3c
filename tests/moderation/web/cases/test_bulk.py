"""Picking cases from a list: the request, the question for many, the page with the countdown."""

import uuid

import pytest
from django.test import Client
from django.urls import reverse

from moderation.models import Case, Decision, User
from moderation.models.cases import CaseReason
from moderation.operations import refusals
from tests.moderation.conftest import Case_
from tests.moderation.web.conftest import DeskOf


@pytest.fixture
def cases(open_case: Case_) -> list[Case]:
    return [open_case(text=f"Post {number} <b>") for number in range(3)]


def given(cases: list[Case], **more: object) -> dict[str, object]:
    names = [f"{case.pk}:{case.version}" for case in cases]
    return {"case": names, "verdict": "spam", "key": str(uuid.uuid4()), **more}


class TestDecide:
    def test_shows_what_was_decided_with_its_countdown(self, desk: Client, cases: list[Case]) -> None:
        answer = desk.post(reverse("bulk-decide"), given(cases), follow=True)

        page = answer.content.decode()
        assert "3 cases decided together" in page
        assert "Undo all" in page
        assert Decision.objects.filter(verdict="spam").count() == 3

    def test_asks_for_the_number_of_many(
        self, desk: Client, cases: list[Case], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(refusals, "CONFIRMED_FROM", 3)
        wanted = given(cases, note="a <i> note")

        asked = desk.post(reverse("bulk-decide"), wanted)
        wrong = desk.post(reverse("bulk-decide"), wanted | {"confirmed_count": 2})
        right = desk.post(reverse("bulk-decide"), wanted | {"confirmed_count": 3})

        assert (asked.status_code, wrong.status_code, right.status_code) == (200, 422, 302)
        assert "Decide 3 cases at once?" in asked.content.decode()
        assert "a &lt;i&gt; note" in asked.content.decode()
        assert set(Decision.objects.values_list("note", flat=True)) == {"a <i> note"}

    @pytest.mark.parametrize(
        ("more", "told"),
        [
            ({"verdict": "maybe"}, "Select a valid choice"),
            ({"case": []}, "Select cases first."),
            ({"case": ["1:x", "<script>", "9" * 40 + ":1"]}, "Select a valid choice"),
            ({"reason": "no-such"}, "Nothing was decided: This reason no longer exists."),
        ],
    )
    def test_says_what_is_wrong_and_decides_nothing(
        self, desk: Client, cases: list[Case], more: dict[str, object], told: str
    ) -> None:
        answer = desk.post(reverse("bulk-decide"), given(cases) | more, follow=True)

        assert told in answer.content.decode()
        assert not Decision.objects.exists()

    @pytest.mark.parametrize(
        ("back", "where"),
        [
            ("/queue/?language=de", "/queue/?language=de"),
            *((other, "/queue/") for other in ("https://elsewhere.example/", "//elsewhere.example", "queue")),
        ],
    )
    def test_leads_back_to_the_list_never_to_another_site(self, desk: Client, back: str, where: str) -> None:
        assert desk.post(reverse("bulk-decide"), given([], back=back)).headers["Location"] == where

    def test_of_a_case_that_is_not_there_is_404(self, desk: Client, cases: list[Case]) -> None:
        answer = desk.post(reverse("bulk-decide"), given(cases) | {"case": ["999999:1"]})

        assert answer.status_code == 404


class TestUndo:
    def test_takes_all_of_it_back(self, desk: Client, cases: list[Case]) -> None:
        wanted = given(cases)
        desk.post(reverse("bulk-decide"), wanted)

        answer = desk.post(reverse("bulk-undo", args=[wanted["key"]]), follow=True)

        assert "Undone: all of them are waiting again" in answer.content.decode()
        assert Case.objects.filter(state="open").count() == 3

    def test_of_somebody_else_is_404(
        self, desk: Client, cases: list[Case], desk_of: DeskOf, other_moderator: User
    ) -> None:
        wanted = given(cases)
        desk.post(reverse("bulk-decide"), wanted)
        other = desk_of(other_moderator)

        assert other.get(reverse("bulk", args=[wanted["key"]])).status_code == 404
        assert other.post(reverse("bulk-undo", args=[wanted["key"]])).status_code == 404


class TestLists:
    @pytest.mark.parametrize("page", ["queue", "posts"])
    def test_offer_a_box_for_what_can_be_picked(self, desk: Client, cases: list[Case], page: str) -> None:
        Case.objects.filter(pk=cases[0].pk).update(reason=CaseReason.SECOND)

        html = desk.get(reverse(page)).content.decode()

        assert f'value="{cases[0].pk}:' not in html
        assert f'value="{cases[1].pk}:{cases[1].version}"' in html
