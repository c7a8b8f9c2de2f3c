"""Posts by the value of a feature: at least, at most, unknown; bounded, one press from a post's reasons."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils.timezone import now

from moderation.models import Case, Post, Revision, Score
from moderation.operations.scoring import score
from moderation.queries.learning import feature_search
from scoring.features import NAMES, SCHEMA_HASH
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.web.conftest import asked, flat

PAGE = "/models/features/"
FEATURE = NAMES[3]
LINK = re.compile(rf'href="{PAGE}\?feature=([a-z0-9_.]+)&amp;compared=at_least&amp;value=1"')
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
    body = desk.get(PAGE, {"feature": FEATURE} | wanted).content.decode()
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

        body = lead_desk.get(PAGE, {"feature": FEATURE, "value": "0"}).content.decode()

        assert "post 7.25" in body
        assert "post 0.5" not in body
        assert "were looked at" in body

    def test_asks_the_database_as_often_for_many_as_for_one(self, lead_desk: Client) -> None:
        one, many = (asked(lead_desk, PAGE, {"feature": FEATURE, "value": value}) for value in ("7", "0"))

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
    assert "Choose a feature and a value." in lead_desk.get(PAGE).content.decode()
