"""Errors of the live models: the greatest loss first, page by page, filtered, as a file."""

from __future__ import annotations

import csv
import math

import pytest
from django.test import Client

from moderation.models import Case, Label, Post, Revision, Score
from tests.moderation.conftest import Case_, Judged
from tests.moderation.web.conftest import asked, flat

PAGE = "/models/errors/"
SINCE = "?since=2026-03-01"
HOSTILE = "<script>alert(1)</script> \u202egnp.exe"


@pytest.fixture
def judged(open_case: Case_, judged_alike: Judged) -> Case:
    """Three wrong and two right probabilities; the case itself waits and has no label."""
    case = open_case(text=HOSTILE)
    judged_alike(case, probability=0.02, spam=1, fine=1, score={"route": "allow"})
    judged_alike(case, probability=0.97, spam=1, fine=1, score={"route": "remove"})
    judged_alike(case, probability=0.6, spam=0, fine=1, score={"route": "review"})
    return case


def losses(body: str) -> list[str]:
    rows = flat(body).split('<tr class="table__row"><td class="table__number">')[1:]
    return [row.split("<", 1)[0] for row in rows]


@pytest.mark.usefixtures("judged")
class TestPage:
    def test_sorts_by_how_improbable_the_label_was(self, lead_desk: Client) -> None:
        body = lead_desk.get(PAGE + SINCE).content.decode()

        wanted = [-math.log(p) for p in (0.02, 0.03, 0.4, 0.97, 0.98)]
        assert losses(body) == [f"{loss:.2f}" for loss in wanted]
        assert "<script>alert" not in body
        assert all(f"/posts/{label.post_id}/" in body for label in Label.objects.all())

    def test_goes_on_after_the_last_loss(self, lead_desk: Client, judged: Case, judged_alike: Judged) -> None:
        judged_alike(judged, probability=0.02, spam=60, fine=0)
        seen: list[str] = []
        place = PAGE + SINCE
        for _page in range(3):
            body = lead_desk.get(place).content.decode()
            seen += losses(body)
            cursor = flat(body).partition("cursor=")[2].partition('"')[0]
            place = f"{PAGE}{SINCE}&cursor={cursor}"
            if not cursor:
                break

        assert len(seen) == 65
        assert seen == sorted(seen, key=float, reverse=True)

    @pytest.mark.parametrize(
        ("query", "count"),
        [
            ("&route=allow", 2),
            ("&verdict=spam", 2),
            ("&verdict=not_spam&route=review", 1),
            ("&platform=social", 5),
            ("&platform=other", 0),
            ("&language=xx", 0),
            ("&until=2026-02-28", 0),
        ],
    )
    def test_filters(self, lead_desk: Client, query: str, count: int) -> None:
        assert len(losses(lead_desk.get(PAGE + SINCE + query).content.decode())) == count

    def test_leaves_out_other_models_bans_retractions_and_blind_cases(
        self, lead_desk: Client, judged: Case
    ) -> None:
        first, second, third, fourth, _last = Label.objects.order_by("pk")
        release = judged.score.release
        release.pk, release.manifest = "a" * 64, {"metrics": {"other": True}}
        release.save(force_insert=True)
        Score.objects.filter(pk=first.decision.score_id).update(release=release)
        Label.objects.filter(pk=second.pk).update(retracted_at=second.labelled_at)
        Post.objects.filter(pk=third.post_id).update(erased_at=third.labelled_at)
        Case.objects.filter(pk=judged.pk).update(post=fourth.post_id, reason="second")

        assert len(losses(lead_desk.get(PAGE + SINCE).content.decode())) == 1

    def test_asks_the_database_as_often_for_many_as_for_one(
        self, lead_desk: Client, judged: Case, judged_alike: Judged
    ) -> None:
        few = len(asked(lead_desk, PAGE + SINCE))
        judged_alike(judged, probability=0.3, spam=20, fine=0)

        assert len(asked(lead_desk, PAGE + SINCE)) == few <= 10

    def test_sends_them_as_a_file_that_runs_nowhere(self, lead_desk: Client) -> None:
        Revision.objects.update(text="=1+1")

        answer = lead_desk.get(f"{PAGE}csv/{SINCE}")

        rows = list(csv.DictReader(answer.content.decode().splitlines()))
        assert [row["label"] for row in rows[:2]] == ["spam", "not_spam"]
        losses = [float(row["log_loss"]) for row in rows[:2]]
        assert losses == pytest.approx([-math.log(0.02), -math.log(0.03)], abs=1e-5)
        assert {row["text_begin"] for row in rows} == {"'=1+1"}


def test_says_that_nothing_was_labelled(lead_desk: Client, fake_scorer: object) -> None:
    assert "No post scored by the live models" in lead_desk.get(PAGE).content.decode()
