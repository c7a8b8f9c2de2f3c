"""The pages Quality and Drift through their addresses."""

import csv
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, DriftAlarm, DriftBlock, Label, Score, User
from moderation.models.quality import Dimension, QualityTableKind
from moderation.operations.quality import refresh
from moderation.queries.quality import needed_labels
from tests.moderation.conftest import AUDIT, Case_, Cases, Judged, with_thresholds
from tests.moderation.web.conftest import asked

COUNTED = set(QualityTableKind) - {QualityTableKind.PLAN, QualityTableKind.UNDECIDED}


@pytest.fixture
def estimated(open_case: Case_, judged_alike: Judged, now: datetime) -> Case:
    """Labels of today, estimated."""
    case = with_thresholds(open_case(at=now - timedelta(hours=2)))
    Score.objects.update(scored_at=now - timedelta(hours=1))
    Case.objects.update(opened_at=now - timedelta(hours=1))
    case.score.refresh_from_db()
    judged_alike(case, probability=0.95, spam=36, fine=4, score=AUDIT)
    judged_alike(case, probability=0.05, spam=1, fine=9, score=AUDIT)
    for label in case.post.labels.model.objects.all():
        label.labelled_at = now
        label.save()
    refresh.refresh(at=timezone.now())
    return case


class TestQualityPage:
    def test_shows_figures_and_says_what_they_lack(self, lead_desk: Client, estimated: Case) -> None:
        body = lead_desk.get("/quality/").content.decode()

        assert '<strong class="quality__value">90.0%</strong>' in body
        assert "40 labels" in body
        assert "Not enough labels (10 of 20)" in body
        assert "Not known, since these routes have no label: review" in body
        assert "Not known: a route lacks labels" in body
        assert "Spam among these posts" in body
        assert "1 post is undecided, so these figures may be off." in body
        assert "If all in review were spam: recall" in body

    def test_says_that_too_many_posts_wait(
        self, lead_desk: Client, estimated: Case, judged_alike: Judged, open_cases: Cases, now: datetime
    ) -> None:
        judged_alike(estimated, probability=0.5, spam=5, fine=5)
        Label.objects.update(labelled_at=now)
        open_cases([{}] * 30)
        Case.objects.update(opened_at=now)
        refresh.refresh(at=timezone.now())

        assert "Not known: too many posts wait in review" in lead_desk.get("/quality/").content.decode()

    def test_says_how_many_labels_a_wide_interval_lacks(
        self, lead_desk: Client, estimated: Case, judged_alike: Judged, now: datetime
    ) -> None:
        assert "too wide" not in lead_desk.get("/quality/").content.decode()
        judged_alike(estimated, probability=0.05, spam=2, fine=38, score=AUDIT)
        Label.objects.update(labelled_at=now)
        refresh.refresh(at=timezone.now())

        body = lead_desk.get("/quality/").content.decode()

        assert re.search(r"too wide to steer by: for ±30% about [\d,]+ labels more", body)

    def test_narrows_by_language_and_release_together(self, lead_desk: Client, estimated: Case) -> None:
        release = estimated.score.release_id
        language = estimated.score.revision.language or "und"

        both = lead_desk.get(f"/quality/?language={language}&release={release}").content.decode()
        neither = lead_desk.get(f"/quality/?language=xx&release={release}").content.decode()

        assert '<strong class="quality__value">90.0%</strong>' in both
        assert "No figures yet" in neither

    def test_says_that_no_views_were_sent(self, lead_desk: Client, estimated: Case) -> None:
        body = lead_desk.get("/quality/?unit=views").content.decode()

        assert "no labelled post came with views" in body
        assert "quality__value" not in body

    def test_weighs_by_views(
        self, lead_desk: Client, estimated: Case, judged_alike: Judged, now: datetime
    ) -> None:
        estimated.score.revision.views = 50
        judged_alike(estimated, probability=0.95, spam=25, fine=0, score=AUDIT)
        Label.objects.update(labelled_at=now)
        refresh.refresh(at=timezone.now())

        body = lead_desk.get("/quality/?unit=views").content.decode()
        rows = lead_desk.get("/quality/csv/figures/?unit=views").content.decode().splitlines()

        assert '<strong class="quality__value">100.0%</strong>' in body
        assert "Each post counts as often as platforms say" in body
        assert "25 labels" in body
        assert {row["unit"] for row in csv.DictReader(rows)} == {"views"}

    def test_plans_labels(self, lead_desk: Client, estimated: Case, monkeypatch: pytest.MonkeyPatch) -> None:
        assert "No plan: 0 posts let through this week" in lead_desk.get("/quality/").content.decode()
        monkeypatch.setattr(needed_labels, "_FEWEST_SCORES", 4)
        Score.objects.filter(spam_probability=0.05).update(route="allow")

        refresh.refresh(at=timezone.now())

        body = lead_desk.get("/quality/").content.decode()
        assert re.search(r"within ±20%, you need about [\d,]+ labels a week. You have 10\.", body)

    def test_says_what_is_missing(self, lead_desk: Client) -> None:
        body = lead_desk.get("/quality/").content.decode()

        assert "Nothing has been estimated yet." in body
        assert "By day" not in body
        assert 'href="/labels/"' in body

    def test_names_tables_without_rows_in_one_line(self, lead_desk: Client, estimated: Case) -> None:
        body = lead_desk.get("/quality/").content.decode()

        [line] = [line.strip() for line in body.splitlines() if "No data yet" in line]
        assert line.startswith("No data yet for: Reason · Decisions corrected, by reason · ")
        assert line.count("·") + 1 + body.count('id="table-') == len(Dimension) - 2 + len(COUNTED)
        reliability, *_others = body.split('id="table-reliability"')[1].split("</section>")
        assert "<bdi>0 labels" not in reliability

    def test_draws_no_axis_without_a_point(
        self, lead_desk: Client, open_case: Case_, judged_alike: Judged, now: datetime
    ) -> None:
        case = open_case(at=now - timedelta(hours=2))
        judged_alike(case, probability=0.95, spam=2, fine=1, score=AUDIT | {"scored_at": now})
        case.post.labels.model.objects.update(labelled_at=now)
        refresh.refresh(at=timezone.now())

        body = lead_desk.get("/quality/").content.decode()

        assert "has enough labels to draw" in body
        assert "lane__bars" not in body

    @pytest.mark.drawn(2)
    @pytest.mark.parametrize(
        "query", ["span=year", "platform=none", "language=und", "language=xx", "release=none", "span=90d"]
    )
    def test_no_question_breaks_it(self, lead_desk: Client, estimated: Case, query: str) -> None:
        assert lead_desk.get(f"/quality/?{query}").status_code == 200

    def test_asks_the_database_as_often_with_many_slices(self, lead_desk: Client, estimated: Case) -> None:
        assert len(asked(lead_desk, "/quality/")) <= 14


class TestExport:
    @pytest.mark.drawn(3)
    @pytest.mark.parametrize("table", ["figures", "trend", *QualityTableKind.values])
    def test_sends_each_table(self, lead_desk: Client, estimated: Case, table: str) -> None:
        answer = lead_desk.get(f"/quality/csv/{table}/")

        assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"

    def test_holds_the_numbers(self, lead_desk: Client, estimated: Case) -> None:
        answer = lead_desk.get("/quality/csv/figures/")
        rows = list(csv.DictReader(answer.content.decode().splitlines()))

        [found] = [row for row in rows if row["dimension"] == "all" and row["measure"] == "precision"]
        assert (found["value"], found["labels"]) == ("0.9", "40")


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


class TestDriftPage:
    def test_shows_what_grew_and_where_in_inert_words(self, lead_desk: Client, alarm: DriftAlarm) -> None:
        body = lead_desk.get("/quality/drift/").content.decode()

        assert "golden harvest" in body
        assert "507 times" in body
        assert "8 to 16" in body
        assert f'href="/posts/{alarm.sample[0]}/"' in body
        assert "q=%22golden+harvest%22" in body
        assert "domain=evil.example" in body
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

    def test_today_counts_open_alarms(self, lead_desk: Client, alarm: DriftAlarm) -> None:
        assert "1 drift alarm" in lead_desk.get("/today/").content.decode()
