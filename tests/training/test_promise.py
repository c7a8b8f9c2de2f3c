"""The promise: circumstances that look at no label, figures that a wrong release breaks."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from scoring.pipeline import Scorer
from scoring.release import Release, Thresholds
from scoring.splits import Split
from tests.json_lines import written
from tests.scoring.random_records import FakeContent, record
from tests.scoring.starter import STARTER
from training import labelled_posts, promise, promise_rows
from training.circumstances import CIRCUMSTANCES
from training.labelled_posts import LabelledPost
from training.promise import BROKEN, KEPT, WITHIN, Outcome, Row

pytestmark = [pytest.mark.xdist_group("promise"), pytest.mark.timeout(300)]

PLACES = range(40)


@pytest.fixture(scope="module")
def posts(tmp_path_factory: pytest.TempPathFactory) -> list[LabelledPost]:
    """Texts of which content says what they end with; it is right but for one of twenty."""
    rows = [
        {
            "id": str(place),
            "source": "words",
            "text": f"text {place} {0.97 if (place % 4 == 0) != (place % 20 == 1) else 0.02}",
            "label": int(place % 4 == 0),
            "group": f"g{place}",
        }
        for place in range(900)
    ]
    path = written(tmp_path_factory.mktemp("texts") / "words.jsonl", rows)
    return labelled_posts.load([path], split=Split.TEST)


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return Scorer(release=Release.load(STARTER), content=FakeContent())


class TestCircumstances:
    def test_are_ten_and_one_of_them_is_none(self) -> None:
        bare, *others = (make(record(), np.random.default_rng(1)) for make in CIRCUMSTANCES.values())

        assert bare == record()
        assert len(others) == 9
        assert record() not in others

    @pytest.mark.parametrize("name", CIRCUMSTANCES)
    def test_leave_text_and_links_alone(self, name: str) -> None:
        post = record(text="see https://shop.example/ now")

        for seed in PLACES:
            made = CIRCUMSTANCES[name](post, np.random.default_rng(seed))
            assert (made.text, made.links, made.external_id) == (post.text, post.links, post.external_id)
            assert made.at >= made.posted_at

    @pytest.mark.parametrize("name", CIRCUMSTANCES)
    def test_hold_no_decision_and_no_complaint(self, name: str) -> None:
        made = CIRCUMSTANCES[name](record(), np.random.default_rng(1))

        histories = (made.author_history, made.ip_history, made.similar, made.resembling)
        assert not any(one.confirmed_spam or one.confirmed_not_spam or one.complaints for one in histories)
        assert not made.complaints


class TestTable:
    def test_finds_what_breaks_a_promise(self, posts: list[LabelledPost], scorer: Scorer) -> None:
        allowing = Thresholds(review_from=0.999, remove_from=1.0, audit_rate=0.0)
        careless = dataclasses.replace(
            scorer.release,
            thresholds=allowing,
            safety=dataclasses.replace(scorer.release.safety, hold_from={}),
        )

        rows = [*promise_rows.in_circumstances(posts, scorer=Scorer(release=careless, content=FakeContent()))]

        sure, let_through, held, *_ = rows
        assert [one.verdict for one in (sure, let_through, held)] == [BROKEN, BROKEN, KEPT]
        assert (let_through.value, let_through.promise) == (1.0, "≤ 8.0%")
        assert {one.note for one in rows} <= set(CIRCUMSTANCES)

    def test_no_sure_spam_passes_the_shipped_release(self, posts: list[LabelledPost], scorer: Scorer) -> None:
        sure, *_ = promise_rows.in_circumstances(posts, scorer=scorer)
        [copies] = promise_rows.of_copies(posts, scorer=scorer)

        assert [(row.value, row.verdict) for row in (sure, copies)] == [(0.0, KEPT)] * 2
        assert copies.texts > 10

    def test_names_the_circumstance_in_which_a_promise_fares_worst(self) -> None:
        good = Outcome(
            is_spam=np.array([True, True, False, False]), content=np.array([0.97, 0.9, 0.1, 0.2]),
            probabilities=np.array([0.97, 0.9, 0.1, 0.2]), is_allowed=np.array([False, False, True, True]),
            is_removed=np.array([True, False, False, False]), groups=np.arange(4),
        )  # fmt: skip
        bad = dataclasses.replace(good, is_allowed=np.array([True, False, True, False]))

        sure, let_through, held, precision, *_ = promise.worst({"good": good, "bad": bad})

        assert [one.circumstance for one in (sure, let_through, held)] == ["bad"] * 3
        assert [one.is_kept for one in (sure, let_through, held, precision)] == [False, False, False, True]
        assert (let_through.value, held.value) == (0.5, 0.5)

    @pytest.mark.parametrize(("title", "is_no_worse"), [("ROC-AUC", False), ("honest held", True)])
    def test_compares_in_the_direction_of_each_promise(self, title: str, is_no_worse: bool) -> None:
        [column] = [one for one in promise.PROMISES if one.title.startswith(title)]

        assert column.reaches(0.05, 0.06) is is_no_worse
        assert column.reaches(float("nan"), 0.06)

    @pytest.mark.parametrize(
        ("low", "high", "verdict"), [(0.95, 0.99, KEPT), (0.93, 0.97, WITHIN), (0.80, 0.94, BROKEN)]
    )
    def test_a_promise_finer_than_its_interval_is_neither_kept_nor_broken(
        self, low: float, high: float, verdict: str
    ) -> None:
        row = Row(title="unchanged", texts=100, value=0.95, low=low, high=high, least=0.95)

        assert row.verdict == verdict
        assert dataclasses.replace(row, least=-math.inf).verdict == ""

    def test_weighs_to_one_per_cent(self) -> None:
        outcome = Outcome(
            is_spam=np.array([True] * 4 + [False] * 4),
            content=np.full(8, 0.5),
            probabilities=np.full(8, 0.5),
            is_allowed=np.array([True, False, False, False, True, True, True, False]),
            is_removed=np.zeros(8, dtype=np.bool_),
            groups=np.arange(8),
        )

        assert promise._spam_among_allowed(outcome) == pytest.approx(0.0025 / (0.0025 + 0.99 * 0.75))


def test_roc_auc_is_that_of_the_peer() -> None:
    generator = np.random.default_rng(1)
    is_spam = generator.random(300) < 0.3
    probabilities = np.asarray(np.round(generator.random(300) + 0.3 * is_spam, 1), dtype=np.float64)

    found = promise.roc_auc(is_spam, probabilities)

    assert found == pytest.approx(roc_auc_score(is_spam, probabilities))


def test_the_table_on_the_page_is_about_the_shipped_release() -> None:
    """Cure: python -m training promise ... --card docs/models.md"""
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")

    card = page.partition("<!-- promise: begin -->")[2].partition("<!-- promise: end -->")[0]

    assert f"Release `{Release.load(STARTER).id[:12]}`" in card
    assert "in ten circumstances: " in card
