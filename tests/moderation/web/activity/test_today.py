"""The page Today through its addresses."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from moderation.models import Case, EndpointCircuit, HourlyCount, Platform, Score, ScoringJob, User
from moderation.models.activity import Measure
from moderation.operations import activity
from moderation.operations.audit import entries
from moderation.operations.webhooks import endpoints
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

        assert re.search(r'Posts received<a href="/posts/\?since=[^"]+"><strong>1</strong>', flat(body))
        assert re.search(r'Decided by people<a href="/decisions/\?whose=people&[^"]+"><strong>1<', flat(body))
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
        assert f'href="?since={yesterday}&amp;until={yesterday}" rel="prev"' in body
        assert 'href="?days=7"' in body

    def test_tells_of_a_burst_that_a_model_missed(
        self, lead_desk: Client, open_case: Case_, now: datetime
    ) -> None:
        open_case(at=now)
        Score.objects.update(is_degraded=True, scored_at=now - HOUR)
        ScoringJob.objects.update(state="scored")

        body = flat(lead_desk.get("/today/").content.decode())

        words = "Scored without one of the models (24 h)</dt>"
        assert f'{words}<dd><a href="/health/" class="tone--spam">1</a>' in body

    @pytest.mark.drawn(4)
    @pytest.mark.parametrize("since", ["", "nonsense", "9999-12-31", "0001-01-01", "2026-02-01T10:00"])
    @pytest.mark.parametrize("until", ["", "nonsense", "9999-12-31", "0001-01-01"])
    def test_no_question_breaks_it(self, lead_desk: Client, since: str, until: str) -> None:
        assert lead_desk.get(f"/today/?days=year&since={since}&until={until}").status_code == 200

    @pytest.mark.parametrize(
        ("query", "steps", "words"),
        [
            ("days=7", 7, "2026-03-27 to 2026-04-02"),
            ("days=28", 28, "2026-03-06 to 2026-04-02"),
            ("since=2026-03-29&until=2026-03-29", 23, "2026-03-29"),
            ("since=2026-03-01&until=2026-03-10", 10, "2026-03-01 to 2026-03-10"),
            ("since=2025-01-01", 92, "2026-01-01 to 2026-04-02"),
        ],
    )
    def test_shows_any_days_by_the_readers_clock(
        self, lead_desk: Client, monkeypatch: pytest.MonkeyPatch, query: str, steps: int, words: str
    ) -> None:
        lead_desk.cookies["time_zone"] = "Europe/Berlin"
        monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 4, 1, 22, 30, tzinfo=UTC))

        body = flat(lead_desk.get(f"/today/?{query}").content.decode())

        assert body.count('<th scope="row" class="table__short">') == steps
        assert f'<h2 id="course">{words}<span class="soft">Europe/Berlin</span>' in body

    def test_says_where_its_hours_begin_in_a_zone_of_half_hours(self, lead_desk: Client) -> None:
        lead_desk.cookies["time_zone"] = "Asia/Kolkata"

        assert "here each begins 30 minutes past." in flat(lead_desk.get("/today/").content.decode())

    def test_leads_from_each_number_to_what_it_counts(
        self, lead_desk: Client, open_case: Case_, decided: Decided, now: datetime
    ) -> None:
        decided(open_case(at=now, text="the only one"))
        activity.count(at=timezone.now())
        lead_desk.cookies["time_zone"] = "Asia/Kolkata"
        body = lead_desk.get("/today/").content.decode()
        columns = re.findall(
            r'<a\s+href="([^"]+)"\s+tabindex="-1"\s*>.*?<title>([^<]+)</title>', body, re.DOTALL
        )

        told = {words.partition(" \N{MIDDLE DOT} ")[2]: unescape(address) for address, words in columns}

        assert set(told) >= {"Posts received 1", "Spam, by people 1 \N{MIDDLE DOT} Not spam, by people 0"}
        for address in told.values():
            assert "the only one" in lead_desk.get(address).content.decode()
            earlier = address.replace("until=", "not=").replace("since=", "until=")
            assert "the only one" not in lead_desk.get(earlier).content.decode()

    def test_links_the_endpoint_that_does_not_respond(
        self, lead_desk: Client, admin_desk: Client, platform: Platform, now: datetime
    ) -> None:
        endpoint, _secret = endpoints.add(platform=platform, url="https://hook.example/", at=now)
        EndpointCircuit.objects.update_or_create(endpoint=endpoint, defaults={"state": "open", "since": now})

        addresses = f"/endpoints/{endpoint.pk}/deliveries/", "/health/#endpoints"

        for browser, address in zip((admin_desk, lead_desk), addresses, strict=True):
            assert f'<a href="{address}" class="tone--spam">1</a>' in flat(
                browser.get("/today/").content.decode()
            )
        assert 'id="endpoints"' in lead_desk.get("/health/").content.decode()

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
        assert f'<a href="/posts/?since={hour:%Y-%m-%dT%H}%3A00Z' in body
        assert "At least 3 times as many" in body
        assert 'class="lane__spike"' in body

    def test_needs_the_same_few_queries_for_any_number_of_rows(
        self, lead_desk: Client, open_case: Case_, decided: Decided, now: datetime
    ) -> None:
        lead_desk.get("/today/")
        decided(open_case(at=now))
        activity.count(at=timezone.now())
        assert len(asked(lead_desk, "/today/?days=28")) <= 15
        for number in range(5):
            other = User.objects.create_user(f"person-{number}")
            decided(open_case(at=now), by=other)
        activity.count(at=timezone.now())

        assert len(asked(lead_desk, "/today/?days=28")) <= 15


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
        assert {row["posts"] for row in rows_of(lead_desk.get("/today/csv/?days=28"))} == {""}
