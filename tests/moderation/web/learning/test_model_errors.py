"""Posts by what the models made of them: errors, the greatest loss first; and by the value of a feature."""

import csv
import math
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils.timezone import now

from moderation.models import Case, Label, Post, Revision, Score, User
from moderation.operations.cases import second_review
from moderation.operations.scoring import score
from moderation.queries.learning import feature_search
from scoring.features import NAMES, SCHEMA_HASH
from tests.moderation.conftest import Case_, Judged, Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.web.conftest import asked, flat

ERRORS = "/models/errors/"
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
    rows = flat(body).split('<tr class="table__row">')[1:]
    return [row.partition("</td>")[0].rpartition(">")[2].strip() for row in rows]


@pytest.mark.usefixtures("judged")
class TestErrors:
    def test_sorts_by_how_improbable_the_label_was(self, lead_desk: Client) -> None:
        body = lead_desk.get(ERRORS + SINCE).content.decode()

        wanted = [-math.log(p) for p in (0.02, 0.03, 0.4, 0.97, 0.98)]
        assert losses(body) == [f"{loss:.2f}" for loss in wanted]
        assert "<script>alert" not in body
        assert all(f"/posts/{label.post_id}/" in body for label in Label.objects.all())

    def test_goes_on_after_the_last_loss(self, lead_desk: Client, judged: Case, judged_alike: Judged) -> None:
        judged_alike(judged, probability=0.02, spam=60, fine=0)
        seen: list[str] = []
        place = ERRORS + SINCE
        for _page in range(3):
            body = lead_desk.get(place).content.decode()
            seen += losses(body)
            cursor = flat(body).partition("cursor=")[2].partition('"')[0]
            place = f"{ERRORS}{SINCE}&cursor={cursor}"
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
        assert len(losses(lead_desk.get(ERRORS + SINCE + query).content.decode())) == count

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

        assert len(losses(lead_desk.get(ERRORS + SINCE).content.decode())) == 1

    def test_asks_the_database_as_often_for_many_as_for_one(
        self, lead_desk: Client, judged: Case, judged_alike: Judged
    ) -> None:
        few = len(asked(lead_desk, ERRORS + SINCE))
        judged_alike(judged, probability=0.3, spam=20, fine=0)

        assert len(asked(lead_desk, ERRORS + SINCE)) == few <= 10

    def test_sends_them_as_a_file_that_runs_nowhere(self, lead_desk: Client) -> None:
        Revision.objects.update(text="=1+1")

        answer = lead_desk.get(f"{ERRORS}csv/{SINCE}")

        rows = list(csv.DictReader(answer.content.decode().splitlines()))
        assert [row["label"] for row in rows[:2]] == ["spam", "not_spam"]
        losses = [float(row["log_loss"]) for row in rows[:2]]
        assert losses == pytest.approx([-math.log(0.02), -math.log(0.03)], abs=1e-5)
        assert {row["text_begin"] for row in rows} == {"'=1+1"}


class TestJudgeAgain:
    def test_tells_what_becomes_of_each_and_shows_the_same_list_again(
        self, ml_desk: Client, judged: Case, lead: User
    ) -> None:
        labelled = list(Label.objects.values_list("post_id", flat=True))
        second_review.ask_many(post_ids=labelled[:1], asked_by=lead, at=now())
        boxes = re.findall(r'name="case"\s+value="(\d+)"', ml_desk.get(ERRORS + SINCE).content.decode())

        answer = ml_desk.post(
            f"{ERRORS}judge-again/",
            {"case": [*boxes, str(labelled[0]), str(judged.post_id), "x"], "query": SINCE[1:]},
        )

        assert {int(box) for box in boxes} == set(labelled[1:])
        assert answer["Location"] == ERRORS + SINCE
        body = flat(ml_desk.get(answer["Location"]).content.decode())
        assert "4 posts are judged again." in body
        assert "1 was left out: it waits for a decision already." in body
        assert "1 was left out: no decision of a person stands." in body
        assert losses(body) == []  # what is judged again shows nobody the first verdict


def test_says_that_nothing_was_labelled(lead_desk: Client, fake_scorer: object) -> None:
    assert "No post scored by the live models" in lead_desk.get(ERRORS).content.decode()


SEARCH = "/models/features/"
FEATURE = NAMES[3]
LINK = re.compile(rf'href="{SEARCH}\?feature=([a-z0-9_.]+)&amp;compared=at_least&amp;value=1"')
VALUES = (0.5, 2.0, 7.25, float("nan"))


@pytest.fixture
def scored(post: Post_, fake_scorer: FakeScorer) -> list[Post]:
    """A post of an hour ago for each of the values."""
    at = now() - timedelta(hours=1)
    rows = [post(text=f"post {value}", at=at) for value in VALUES]
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=at)
    for row, value in zip(rows, VALUES, strict=True):
        features = [float("nan")] * len(NAMES)
        features[3] = value
        Score.objects.filter(revision__post=row).update(
            features=features, schema_hash=SCHEMA_HASH, content_probability=None if value > 5 else 0.5
        )
    return rows


def found(desk: Client, **wanted: str) -> set[str]:
    body = desk.get(SEARCH, {"feature": FEATURE} | wanted).content.decode()
    return {str(value) for value in VALUES if f"post {value}<" in flat(body)}


@pytest.mark.usefixtures("scored")
class TestSearch:
    @pytest.mark.parametrize(
        ("wanted", "values"),
        [
            ({"compared": "at_least", "value": "2"}, {"2.0", "7.25"}),
            ({"compared": "at_most", "value": "2"}, {"0.5", "2.0"}),
            ({"compared": "unknown"}, {"nan"}),
            ({"value": "7"}, {"7.25"}),
            ({"compared": "at_least"}, set()),
            ({"feature": "no.such", "value": "0"}, set()),
            ({"feature": "content.text", "value": "0.5"}, {"0.5", "2.0", "nan"}),
            ({"feature": "content.text", "compared": "unknown"}, {"7.25"}),
            ({"value": "0", "until": "2020-01-01"}, set()),
        ],
    )
    def test_compares_what_is_stored(
        self, lead_desk: Client, wanted: dict[str, str], values: set[str]
    ) -> None:
        assert found(lead_desk, **wanted) == values

    def test_looks_back_seven_days_at_most(self, lead_desk: Client) -> None:
        Score.objects.update(scored_at=now() - timedelta(days=8))

        assert found(lead_desk, value="0", since=f"{now() - timedelta(days=30):%Y-%m-%d}") == set()

    def test_leaves_out_other_schemas_and_blind_cases(self, lead_desk: Client, scored: list[Post]) -> None:
        Score.objects.filter(revision__post=scored[0]).update(schema_hash="e" * 64)
        Case.objects.filter(post=scored[1]).update(reason="second")

        assert found(lead_desk, value="0") == {"7.25"}

    def test_says_that_it_did_not_look_at_all(
        self, lead_desk: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(feature_search, "MOST", 2)
        for place, row in enumerate(Score.objects.order_by("pk")):
            Score.objects.filter(pk=row.pk).update(scored_at=row.scored_at + timedelta(minutes=place))

        body = lead_desk.get(SEARCH, {"feature": FEATURE, "value": "0"}).content.decode()

        assert "post 7.25" in body
        assert "post 0.5" not in body
        assert "were looked at" in body

    def test_asks_the_database_as_often_for_many_as_for_one(self, lead_desk: Client) -> None:
        one, many = (asked(lead_desk, SEARCH, {"feature": FEATURE, "value": value}) for value in ("7", "0"))

        assert len(one) == len(many) <= 9

    def test_is_one_press_from_the_reasons_of_a_post(
        self, lead_desk: Client, desk: Client, scored: list[Post]
    ) -> None:
        Score.objects.update(contributions=[[name, 1.0, 0.5] for name in NAMES])
        place = f"/posts/{scored[0].pk}/"

        named = LINK.findall(lead_desk.get(place).content.decode())

        assert set(named) <= set(NAMES)
        assert len(named) > 10
        assert not LINK.findall(desk.get(place).content.decode())


def test_asks_for_a_feature_first(lead_desk: Client) -> None:
    assert "Choose a feature and a value." in lead_desk.get(SEARCH).content.decode()
