"""The page Quality through its addresses."""

from __future__ import annotations

import csv
import re
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Label, Score
from moderation.models.quality import Dimension, QualityTableKind
from moderation.operations.quality import refresh
from moderation.queries.quality import needed_labels
from tests.moderation.conftest import Case_, Judged
from tests.moderation.web.conftest import asked

COUNTED = set(QualityTableKind) - {QualityTableKind.PLAN, QualityTableKind.UNDECIDED}
AUDIT = {"route": "review", "route_reason": "audit", "is_audit_sample": True, "audit_probability": 0.1}


@pytest.fixture
def estimated(open_case: Case_, judged_alike: Judged, now: datetime) -> Case:
    """Labels of today, estimated."""
    case = open_case(at=now - timedelta(hours=2))
    case.score.release.manifest = {"thresholds": {"review_from": 0.2, "remove_from": 0.9}}
    case.score.release.save()
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


class TestPage:
    def test_shows_figures_with_interval_and_labels(self, lead_desk: Client, estimated: Case) -> None:
        body = lead_desk.get("/quality/").content.decode()

        assert '<strong class="quality__value">90.0%</strong>' in body
        assert "40 labels" in body
        assert "10 labels, too few" in body

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

    def test_says_what_undecided_posts_hide(self, lead_desk: Client, estimated: Case) -> None:
        body = lead_desk.get("/quality/").content.decode()

        assert "Undecided: 1 post in review and 0 drawn posts." in body
        assert "If all in review were spam, recall would be" in body

    def test_says_that_no_views_were_sent(self, lead_desk: Client, estimated: Case) -> None:
        body = lead_desk.get("/quality/?unit=views").content.decode()

        assert "No labelled post has views" in body
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
        assert "Each post counts as often as it was seen" in body
        assert "25 labels" in body
        assert {row["unit"] for row in csv.DictReader(rows)} == {"views"}

    def test_plans_labels(self, lead_desk: Client, estimated: Case, monkeypatch: pytest.MonkeyPatch) -> None:
        assert "No plan: 0 posts were let through this week" in lead_desk.get("/quality/").content.decode()
        monkeypatch.setattr(needed_labels, "_FEWEST_SCORES", 4)
        Score.objects.filter(spam_probability=0.05).update(route="allow")

        refresh.refresh(at=timezone.now())

        body = lead_desk.get("/quality/").content.decode()
        assert "labels of posts let through a week, drawn by score as now" in body
        assert "The last 7 days gave 10 labels." in body

    def test_says_what_is_missing(self, lead_desk: Client) -> None:
        body = lead_desk.get("/quality/").content.decode()

        assert "Nothing has been estimated yet." in body
        assert "By day" not in body
        assert 'href="/labels/"' in body

    def test_names_tables_without_rows_in_one_line(self, lead_desk: Client, estimated: Case) -> None:
        body = lead_desk.get("/quality/").content.decode()

        [line] = [line.strip() for line in body.splitlines() if "Nothing yet" in line]
        assert line.startswith("Nothing yet: Reason · Decisions corrected, by reason · ")
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
        "query",
        ["span=year", "platform=none", "language=und", "language=xx", "release=none", "span=90d"],
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

    def test_knows_no_other_table(self, lead_desk: Client) -> None:
        assert lead_desk.get("/quality/csv/nothing/").status_code == 404
