"""Measures of two releases on the same posts, held against scikit-learn and against what they must find."""

from collections.abc import Sequence

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from scoring import gate
from scoring.records import PostRecord
from tests.scoring.random_records import record
from training import compare, evaluate_releases
from training.compare import Floats, Sample
from training.labelled_posts import LabelledPost


def sample(*, posts: int = 600, edge: float = 0.0, seed: int = 1) -> Sample:
    """Posts in groups of two; the candidate separates by `edge` more than the live release."""
    random = np.random.default_rng(seed)
    is_spam = random.random(posts) < 0.4
    noise = random.normal(size=posts)
    labelled = [
        LabelledPost(
            record=record(external_id=str(place), text=f"win a free prize now, call {place}"),
            is_spam=bool(one),
            source="texts" if place % 3 else "records",
            language="en" if place % 4 else "de",
            group=str(place // 2),
        )
        for place, one in enumerate(is_spam)
    ]

    def said(push: float) -> Floats:
        return np.asarray(1 / (1 + np.exp(-(push * (is_spam - 0.5) + noise))))

    return Sample(posts=labelled, live=said(2.5), candidate=said(2.5 + edge))


_POST = record(external_id="1", text="win a free prize")


class TestMeasures:
    def test_pr_auc_is_the_average_precision(self) -> None:
        one = sample()
        tied = np.round(one.live, 1)

        for said in (one.live, tied):
            found = compare.pr_auc(one.is_spam, said, one.weights)
            assert found == pytest.approx(average_precision_score(one.is_spam, said))

    def test_a_post_of_weight_two_counts_like_two_posts(self) -> None:
        is_spam, said = np.array([1.0, 0.0, 1.0]), np.array([0.9, 0.6, 0.4])

        for measure in (compare.pr_auc, compare.recall_at_1_fpr, compare.calibration_error):
            twice = measure(np.append(is_spam, 1.0), np.append(said, 0.4), np.ones(4))
            assert measure(is_spam, said, np.array([1.0, 1.0, 2.0])) == pytest.approx(twice)

    def test_recall_at_1_fpr(self) -> None:
        is_spam = np.array([1.0] * 4 + [0.0] * 200)
        said = np.concatenate([[0.9, 0.8, 0.7, 0.1], [0.75, 0.72], np.full(198, 0.05)])

        assert compare.recall_at_1_fpr(is_spam, said, np.ones(204)) == 1.0
        assert compare.recall_at_1_fpr(is_spam[:-2], said[:-2], np.ones(202)) == 0.5

    def test_calibration_error(self) -> None:
        said = np.full(100, 0.85)

        assert compare.calibration_error(np.ones(100), said, np.ones(100)) == pytest.approx(0.15)

    def test_the_threshold_keeps_its_promise(self) -> None:
        one = sample()

        limit = compare.threshold_at_1_fpr(one, np.round(one.live, 2))

        assert (np.round(one.live, 2) >= limit)[one.is_spam == 0].mean() <= 0.01

    def test_one_class_alone_is_unknown(self) -> None:
        assert np.isnan(compare.pr_auc(np.ones(3), np.ones(3), np.ones(3)))


class TestSlices:
    def test_cover_all_sources_languages_and_campaigns(self) -> None:
        found = [(part["by"], part["name"]) for part in compare.slices(sample(), seed=1)]

        assert found[:5] == [
            ("all", "all"),
            ("source", "records"),
            ("source", "texts"),
            ("language", "de"),
            ("language", "en"),
        ]
        assert found[5][0] == "campaign"

    def test_a_better_release_is_seen_to_be_better(self) -> None:
        [everything, *_] = compare.slices(sample(edge=2.0), seed=1)

        low, high = everything["metrics"]["pr_auc"]["difference_interval"]
        assert 0.0 < low < high

    def test_equal_releases_differ_by_nothing(self) -> None:
        [everything, *_] = compare.slices(sample(), seed=1)

        for found in everything["metrics"].values():
            assert found["difference_interval"] == [0.0, 0.0]

    def test_intervals_hold_the_value_and_repeat(self) -> None:
        first, second = (compare.slices(sample(), seed=7)[0]["metrics"]["pr_auc"] for _ in range(2))

        low, high = first["live_interval"]
        assert low < first["live"] < high
        assert first == second

    def test_small_slices_are_not_gated(self) -> None:
        assert not compare.slices(sample(posts=60), seed=1)[0]["is_gated"]
        assert compare.slices(sample(), seed=1)[0]["is_gated"]

    @pytest.mark.parametrize(("spam", "honest", "gated"), [(5, 5, True), (4, 90, False)])
    def test_few_decisions_of_a_platform_count_too(self, spam: int, honest: int, gated: bool) -> None:
        assert compare._is_gated(spam, honest, is_decided=True) is gated
        assert not compare._is_gated(spam, honest, is_decided=False)


class TestLeastEvidence:
    """Worlds of 35 spam and 105 other posts, on which two releases agree as two fits of one model do."""

    @pytest.mark.parametrize(("edge", "passing"), [(-0.5, range(4)), (0.0, range(31, 61))])
    def test_keeps_a_candidate_5_points_worse_out(
        self, edge: float, passing: range, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of PR-AUC: it also loses 18 points of recall at 1 % false positives, and passed in half of runs."""
        monkeypatch.setattr(compare, "RESAMPLES", 200)
        random = np.random.default_rng(1)

        found = [self._verdict(random, edge=edge) for _ in range(60)]

        assert found.count(gate.Verdict.PASSED) in passing
        assert gate.Verdict.TOO_LITTLE in found

    def _verdict(self, random: np.random.Generator, *, edge: float) -> gate.Verdict:
        is_spam = np.arange(140) < 35
        common, *own = random.normal(size=(3, 140)) * np.sqrt([[0.8], [0.2], [0.2]])
        live, candidate = (
            np.asarray(1 / (1 + np.exp(3.6 - 2 * ((3.0 + push) * is_spam + common + noise))))
            for push, noise in zip((0.0, edge), own, strict=True)
        )
        posts = [
            LabelledPost(record=_POST, is_spam=bool(one), source="texts", language="en", group=str(place))
            for place, one in enumerate(is_spam)
        ]
        whole = Sample(posts=posts, live=live, candidate=candidate)
        report = {
            "format": gate.REPORT_FORMAT,
            "live": {"id": "a"},
            "candidate": {"id": "b"},
            "is_unchanged": False,
            "slices": [compare._slice(whole, by="all", name="all", seed=1)],
            "robustness": [],
            "links": {"texts": 0, "unchanged": {}, "spam_with_links": {"difference_interval": [None, None]}},
            "latency": {"live_p95_ms": 1.0, "candidate_p95_ms": 1.0},
        }
        return gate.verdict(gate.stored(gate.findings(report, candidate="b", live="a")))


def test_robustness_shows_what_a_release_loses_that_reads_letter_by_letter() -> None:
    one = sample(edge=6.0)

    def reads_plain_words(records: Sequence[PostRecord]) -> Floats:
        return np.array([0.99 if "prize" in post.text and "free" in post.text else 0.0 for post in records])

    found = {
        row["attack"]: row
        for row in evaluate_releases.under_attack(
            one, live=lambda records: np.ones(len(records)), candidate=reads_plain_words, seed=1
        )
    }

    assert found["fullwidth"]["candidate"]["recall_after"] < 0.5
    assert found["fullwidth"]["live"]["recall_after"] == 1.0
    assert found["fullwidth"]["rows"] > 100
    assert "url_defang" not in found
