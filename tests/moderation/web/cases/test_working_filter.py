"""The filter of the queue page steers the work: what is claimed next, and the chip that says so."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from moderation.models import Case, User
from moderation.operations.cases import claims
from moderation.web.cases import working_filter
from tests.moderation.conftest import Case_
from tests.moderation.web.conftest import REVIEW_PAGE

Cases = dict[str, Case]


@pytest.fixture
def cases(open_case: Case_) -> Cases:
    """A German case among English ones that come before it."""
    found = {text: open_case(text=text) for text in ("one", "two", "drei")}
    Case.objects.update(language="en", opened_at=timezone.now() - timedelta(hours=1))
    Case.objects.filter(pk=found["drei"].pk).update(language="de", priority=0.01)
    return found


def start(desk: Client, **given: str) -> str:
    """Press R; return the address of the case in front."""
    answer = desk.post(reverse("review-next"), given)
    assert answer.status_code == 302
    return str(answer.headers["Location"])


def address(case: Case) -> str:
    return reverse("case", args=[case.pk])


class TestStart:
    def test_looks_once_for_queues_of_ones_own_where_there_are_none(self, desk: Client, cases: Cases) -> None:
        with CaptureQueriesContext(connection) as asked:
            desk.post(reverse("review-next"), headers=REVIEW_PAGE)

        assert sum('queueassignment"."position"' in one["sql"] for one in asked.captured_queries) == 1

    @pytest.mark.parametrize(("given", "is_kept"), [({}, True), ({"filter": ""}, False)])
    def test_goes_on_with_the_filter_before_unless_an_empty_one_is_named(
        self, desk: Client, cases: Cases, moderator: User, given: dict[str, str], is_kept: bool
    ) -> None:
        start(desk, filter="language=de")
        claims.hand_back(case_id=cases["drei"].pk, moderator=moderator)

        assert (start(desk, **given) == address(cases["drei"])) is is_kept

    def test_gives_back_what_other_work_held(self, desk: Client, cases: Cases) -> None:
        start(desk, filter="language=de")
        start(desk, filter="language=en")

        assert Case.objects.get(pk=cases["drei"].pk).claimed_by is None

    def test_claims_what_is_filtered_and_keeps_what_both_filters_name(
        self, desk: Client, cases: Cases
    ) -> None:
        for filtered in ("language=de", "language=de&reason=uncertain"):
            assert start(desk, filter=filtered) == address(cases["drei"])

    def test_of_what_nothing_is_left_shows_the_empty_desk(self, desk: Client, cases: Cases) -> None:
        assert start(desk, filter="language=ar") == reverse("review")
        assert "0 left" in desk.get(reverse("review")).content.decode()

    def test_takes_over_only_what_a_filter_may_name(self, desk: Client, cases: Cases) -> None:
        start(desk, filter="language=de&next=https://elsewhere.example&cursor=5")

        assert desk.session["working_filter"] == "language=de"

    def test_claims_in_the_order_of_the_list(self, desk: Client, cases: Cases) -> None:
        Case.objects.filter(pk=cases["drei"].pk).update(opened_at=timezone.now())

        assert start(desk, filter="sort=newest") == address(cases["drei"])


class TestDecision:
    def test_skipping_stays_within_the_filter(self, desk: Client, cases: Cases) -> None:
        start(desk, filter="language=de")

        answer = desk.post(reverse("case-skip", args=[cases["drei"].pk]))

        assert answer.headers["Location"] == reverse("review")


class TestChip:
    def test_is_not_there_without_a_filter(self, desk: Client, cases: Cases) -> None:
        assert 'class="working ' not in desk.get(start(desk)).content.decode()

    def test_does_not_count_what_others_hold(self, desk: Client, cases: Cases, other_moderator: User) -> None:
        claims.claim(case_id=cases["one"].pk, moderator=other_moderator, at=timezone.now())

        assert "1 left" in desk.get(start(desk, filter="language=en")).content.decode()

    def test_stops_counting_where_enough_wait(
        self, desk: Client, cases: Cases, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(working_filter, "COUNTED", 1)

        assert "1+ left" in desk.get(start(desk, filter="language=en")).content.decode()

    def test_shows_a_hostile_domain_inert(self, desk: Client, cases: Cases) -> None:
        start(desk, filter="domain=%3Cscript%3Ealert(1)%3C/script%3E")

        page = desk.get(reverse("review")).content.decode()

        assert "<script>alert" not in page
        assert "0 left" in page
