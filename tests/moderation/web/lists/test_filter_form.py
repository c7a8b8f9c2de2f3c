"""Filters of lists."""

import re

import pytest
from django.http import QueryDict
from django.test import Client

from moderation.models import Case
from moderation.models.preferences import FilterPage
from moderation.queries.cases.queue_filter import QueueFilter
from moderation.web.cases.working_filter import QueueFilterForm
from moderation.web.entities.authors import AuthorFilterForm
from moderation.web.saved_filters import FORMS

_WHERE_THERE_ARE_ANY = {"queue", "campaign", "answers_to", "policy", "hides_automated"}
"""Filters that are shown where there is something to choose."""
_VALUES = {"language", "queue", "age"}
"""Selects of the queue that offer values, not choices: a language in which nothing waits finds nothing, or
work by a kept filter would go on with cases of other languages.
"""


class TestFilterForm:
    def test_counts_what_is_invalid_as_not_given(self) -> None:
        form = AuthorFilterForm(QueryDict("state=nonsense&q=" + "x" * 900))

        assert set(form.chosen.values()) == {""}

    def test_tells_zero_from_nothing(self) -> None:
        assert QueueFilterForm(QueryDict("age=0")).wanted() == QueueFilter(age=0)
        assert QueueFilterForm(QueryDict("age=")).wanted() == QueueFilter(age=None)

    def test_keeps_its_own_filters_alone(self) -> None:
        given = QueryDict("cursor=5&state=spam&x=1&q=+")

        assert AuthorFilterForm.query_of(given) == "state=spam"


@pytest.mark.parametrize("page", FilterPage)
def test_every_filter_can_be_chosen_on_its_page(lead_desk: Client, page: FilterPage) -> None:
    body = lead_desk.get(f"/{page}/").content.decode()

    missing = {name for name in FORMS[page].base_fields if f'name="{name}"' not in body}
    assert missing <= _WHERE_THERE_ARE_ANY


@pytest.mark.parametrize("page", [*FilterPage, "audit"])
def test_a_choice_that_nobody_offers_counts_as_not_given(lead_desk: Client, page: str) -> None:
    selects = set(re.findall(r'<select[^>]* name="(\w+)"', lead_desk.get(f"/{page}/").content.decode()))

    for name in selects - _VALUES:
        form = lead_desk.get(f"/{page}/?{name}=nonsense").context["form"]
        assert form.given(name) == "", name


@pytest.mark.parametrize("page", [*FilterPage, "audit", "mentions", "models/errors", "thresholds"])
@pytest.mark.parametrize("cursor", ["nonsense", "-1", "٣", "9" * 40])
def test_a_cursor_that_nobody_gave_is_refused(lead_desk: Client, page: str, cursor: str) -> None:
    # The first list of domains has one page.
    assert lead_desk.get(f"/{page}/?which=all&cursor={cursor}").status_code == 404


@pytest.mark.parametrize("page", ["appeals", "mentions", "rules"])
def test_a_state_that_nobody_offers_counts_as_not_given(lead_desk: Client, page: str) -> None:
    shown, asked = (lead_desk.get(f"/{page}/{query}") for query in ("", "?state=nonsense&kind=nonsense"))

    assert asked.status_code == 200
    assert asked.context["state"] == shown.context["state"]


@pytest.mark.parametrize("page", [*FilterPage, "audit"])
@pytest.mark.parametrize(
    "days", ["until=9999-12-31", "since=9999-12-31", "since=0001-01-01&until=0001-01-01"]
)
def test_no_list_fails_at_the_calendars_edge(lead_desk: Client, linked: Case, page: str, days: str) -> None:
    assert lead_desk.get(f"/{page}/?{days}").status_code == 200
