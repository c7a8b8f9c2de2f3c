"""The page Today through its addresses."""

from __future__ import annotations

import csv
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from moderation.models import Case, HourlyCount, Platform, Revision, Score, User
from moderation.models.activity import Measure
from moderation.operations import activity
from moderation.operations.audit import entries
from moderation.queries.activity.hours import hour_of
from tests.moderation.conftest import Case_, Decided, Post_
from tests.moderation.web.conftest import asked, flat

HOUR = timedelta(hours=1)


def rows_of(answer: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(answer.content.decode().splitlines()))


class TestPage:
    def test_is_a_leads_first(self, lead_desk: Client, desk: Client, ml_desk: Client) -> None:
        assert lead_desk.get("/").headers["Location"] == "/today/"
        assert desk.get("/").headers["Location"] == "/queue/"
        assert ml_desk.get("/").headers["Location"] == "/models/"

    def test_shows_what_came_waits_and_was_decided(
        self, lead_desk: Client, open_case: Case_, decided: Decided, moderator: User, now: datetime
    ) -> None:
        User.objects.filter(pk=moderator.pk).update(first_name="Mona", last_name="Moderator")
        decided(open_case(at=now))
        Case.objects.update(opened_at=now)
        activity.count(at=timezone.now())

        body = lead_desk.get("/today/").content.decode()

        assert "Posts received <strong>1</strong>" in body
        assert "Decided by people <strong>1</strong>" in body
        assert "1 person at work:" in body
        assert "Mona Moderator" in body
        assert "Nothing is waiting." in body
        assert "Last hour: 1 opened, 1 decided by people, 0 closed without a person." in flat(body)
        assert 'class="lane__bar lane__bar--spam"' in body

    @pytest.mark.parametrize(
        ("values", "words"),
        [
            ({"removal_right": 120}, "Not proven: a person decides every removal, at least 116 more."),
            ({"removal_proven_at": datetime(2026, 1, 5, 9, 30, tzinfo=UTC)}, "Proven: the filter has"),
            ({"removal": "always"}, "The filter removes by itself, proven or not."),
            ({"removal_right": 240, "removal_wrong": 60}, "240 of 300 judged removals were right"),
        ],
    )
    def test_says_where_the_filter_removes_by_itself(
        self, lead_desk: Client, platform: Platform, values: dict[str, Any], words: str
    ) -> None:
        Platform.objects.update(**({"removal": "proven"} | values))

        pages = [lead_desk.get(address).content.decode() for address in ("/today/", "/quality/")]

        assert all(words in " ".join(page.split()) for page in pages)

    def test_announces_where_it_stopped(self, lead_desk: Client, platform: Platform, now: datetime) -> None:
        Platform.objects.update(removal="proven")
        with transaction.atomic():
            entries.writer("platform")("platform.removal_unproven", platform, actor=None, at=now)

        assert "Stopped at" in lead_desk.get("/today/").content.decode()

    def test_begins_with_the_last_24_hours(self, lead_desk: Client, now: datetime) -> None:
        yesterday = now.date() - timedelta(days=1)

        body = flat(lead_desk.get("/today/").content.decode())

        assert body.count('<th scope="row" class="table__short">') == 24
        assert f'href="?span=day&amp;day={yesterday}" rel="prev"' in body
        assert f'href="?span=day&amp;day={now:%Y-%m-%d}"' in body

    def test_tells_of_a_burst_that_a_model_missed(
        self, lead_desk: Client, open_case: Case_, now: datetime
    ) -> None:
        open_case(at=now)
        Score.objects.update(is_degraded=True, scored_at=now - HOUR)
        Revision.objects.update(score_state="scored")

        body = flat(lead_desk.get("/today/").content.decode())

        words = "Scored without one of the models (24 h)</dt>"
        assert f'{words}<dd><a href="/health/" class="tone--spam">1</a>' in body

    @pytest.mark.drawn(4)
    @pytest.mark.parametrize("span", ["span=24h", "span=day", "span=week", "span=month", "span=year"])
    @pytest.mark.parametrize("day", ["", "&day=nonsense", "&day=9999-12-31", "&day=0001-01-01"])
    def test_no_question_breaks_it(self, lead_desk: Client, span: str, day: str) -> None:
        assert lead_desk.get(f"/today/?{span}{day}").status_code == 200

    def test_says_when_the_queue_will_be_empty(
        self, lead_desk: Client, open_case: Case_, now: datetime
    ) -> None:
        cases = [open_case() for _ in range(3)]
        Case.objects.update(opened_at=now - 30 * HOUR)
        closed = Case.objects.filter(pk__in=[case.pk for case in cases[1:]])
        closed.update(state="decided", closed_at=now - timedelta(minutes=1))

        assert "the queue will be empty in" in lead_desk.get("/today/").content.decode()

    def test_names_a_spike_and_its_rule(self, lead_desk: Client, now: datetime) -> None:
        hour = hour_of(now)
        for days, number in ((1, 10), (2, 10), (3, 10), (0, 500)):
            then = hour - days * 24 * HOUR
            HourlyCount.objects.create(hour=then, measure=Measure.POSTS, number=number, counted_at=now)

        body = lead_desk.get("/today/").content.decode()

        assert "500; usual: 10" in body
        assert "at least 3 times as many" in body
        assert 'class="lane__spike"' in body

    def test_needs_the_same_few_queries_for_any_number_of_rows(
        self, lead_desk: Client, open_case: Case_, decided: Decided, now: datetime
    ) -> None:
        lead_desk.get("/today/")
        decided(open_case(at=now))
        activity.count(at=timezone.now())
        assert len(asked(lead_desk, "/today/?span=month")) <= 15
        for number in range(5):
            other = User.objects.create_user(f"person-{number}")
            decided(open_case(at=now), by=other)
        activity.count(at=timezone.now())

        assert len(asked(lead_desk, "/today/?span=month")) <= 15


class TestExport:
    def test_has_the_numbers_of_the_page(self, lead_desk: Client, post: Post_, now: datetime) -> None:
        post(at=now)
        activity.count(at=now)

        answer = lead_desk.get("/today/csv/")
        rows = rows_of(answer)

        assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
        assert f"activity-24h-{now:%Y-%m-%d}.csv" in answer.headers["Content-Disposition"]
        assert len(rows) == 24
        [row] = [row for row in rows if row["start"] == hour_of(now).isoformat()]
        assert (row["posts"], row["is_whole"]) == ("1", "false")

    def test_leaves_empty_what_was_not_counted(self, lead_desk: Client, db: None) -> None:
        assert {row["posts"] for row in rows_of(lead_desk.get("/today/csv/?span=month"))} == {""}
