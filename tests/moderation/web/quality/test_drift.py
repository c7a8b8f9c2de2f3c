"""The page Drift through its addresses."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from moderation.models import Case, DriftAlarm, DriftBlock, User
from tests.moderation.web.conftest import asked

HOSTILE = "<script>alert(1)</script>"


def trait(family: str, name: str, **changes: int) -> dict[str, Any]:
    counts = {"authors": 37, "all_authors": 6_240, "authors_before": 2, "all_authors_before": 171_030}
    return {"family": family, "trait": name} | counts | changes


@pytest.fixture
def alarm(open_case: Callable[..., Case], now: datetime) -> DriftAlarm:
    case = open_case(at=now - timedelta(hours=1))
    return DriftAlarm.objects.create(
        platform=case.post.platform,
        raised_at=now,
        seen_at=now,
        posts=37,
        all_posts=6_812,
        traits=[
            trait("words", "golden harvest"),
            trait("words", HOSTILE, authors_before=0),
            trait("domain", "evil.example"),
            trait("feature", "social.friends=2^3"),
            trait("probability", "0.05"),
            trait("probability", "allow"),
            trait("language", ""),
        ],
        slices=[
            {"kind": "language", "name": "de", "posts": 30, "all_posts": 400},
            {"kind": "route", "name": "allow", "posts": 37, "all_posts": 6_000},
        ],
        mean_probability=0.04,
        sample=[case.post_id],
    )


class TestPage:
    def test_shows_what_grew_and_where(self, lead_desk: Client, alarm: DriftAlarm) -> None:
        body = lead_desk.get("/quality/drift/").content.decode()

        assert "golden harvest" in body
        assert "507 times" in body
        assert "8 to 16" in body
        assert f'href="/posts/{alarm.sample[0]}/"' in body
        assert "q=%22golden+harvest%22" in body
        assert "domain=evil.example" in body

    def test_escapes_words(self, lead_desk: Client, alarm: DriftAlarm) -> None:
        body = lead_desk.get("/quality/drift/").content.decode()

        assert HOSTILE not in body
        assert "&lt;script&gt;" in body

    def test_links_no_posts_for_those_who_may_not_read_them(
        self, desk_of: Callable[[User], Client], people: dict[str, User], alarm: DriftAlarm
    ) -> None:
        body = desk_of(people["ml_engineer"]).get("/quality/drift/").content.decode()

        assert "golden harvest" in body
        assert "/posts/?" not in body
        assert "Acknowledge" not in body

    def test_says_what_is_missing(self, lead_desk: Client) -> None:
        body = lead_desk.get("/quality/drift/").content.decode()

        assert "No alarms." in body
        assert "Nothing has been counted yet." in body

    def test_says_when_comparing_begins(self, lead_desk: Client, alarm: DriftAlarm, now: datetime) -> None:
        DriftBlock.objects.create(platform=alarm.platform, starts_at=now, posts=0, authors=0, counts=b"")

        assert "compared after 7 days" in lead_desk.get("/quality/drift/").content.decode()

    @pytest.mark.parametrize("query", ["platform=none", "platform=" + "x" * 500, "platform=%00"])
    def test_no_question_breaks_it(self, lead_desk: Client, alarm: DriftAlarm, query: str) -> None:
        assert lead_desk.get(f"/quality/drift/?{query}").status_code == 200

    def test_asks_the_database_as_often_with_many_alarms(self, lead_desk: Client, alarm: DriftAlarm) -> None:
        for _ in range(5):
            alarm.pk = None
            alarm.save(force_insert=True)

        assert len(asked(lead_desk, "/quality/drift/")) <= 8


class TestAcknowledge:
    def test_marks_the_alarm(self, lead_desk: Client, alarm: DriftAlarm) -> None:
        body = lead_desk.post(f"/quality/drift/{alarm.pk}/acknowledge/", follow=True).content.decode()

        alarm.refresh_from_db()
        assert alarm.acknowledged_at is not None
        assert "Acknowledged by <bdi>lead</bdi>" in body

    def test_knows_no_other_alarm(self, lead_desk: Client) -> None:
        assert lead_desk.post("/quality/drift/999/acknowledge/").status_code == 404


def test_today_counts_open_alarms(lead_desk: Client, alarm: DriftAlarm) -> None:
    assert "1 drift alarm" in lead_desk.get("/today/").content.decode()
