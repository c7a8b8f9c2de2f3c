"""The shipped models: silence, monotony, calibration, and what may not be loaded."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.ensemble import (
    ENSEMBLE_FILE,
    SUB_MODELS,
    Bounds,
    Ensemble,
    calibrated,
    content_margins,
    probabilities_of,
)
from scoring.features import NAMES, NO_MODELS, extract
from scoring.records import NOTHING_KNOWN, History
from scoring.release import Calibration, Corrupt
from scoring.trees import Floats
from scoring.weak_evidence import EARNED, OF_LINKS, UNPROVEN
from tests.scoring.random_records import labelled
from tests.scoring.starter import STARTER

NAN = float("nan")


def random_rows(ensemble: Ensemble, count: int) -> Floats:
    """The rows of random records, and of posts about which nothing is known."""
    rows = np.stack([extract(one.record, models=NO_MODELS) for one in labelled(count)])
    return np.concatenate([rows, ensemble.reference[None, :]])


class TestJudge:
    def test_a_family_of_which_nothing_is_known_is_silent(self, ensemble: Ensemble) -> None:
        judgement = ensemble.judge(ensemble.reference[None, :], content_probabilities=np.array([0.5]))

        assert np.isnan(judgement.main_inputs[0, :3]).all()
        assert judgement.main_inputs[0, 3] == 0.0

    def test_one_known_feature_makes_its_family_speak(self, ensemble: Ensemble) -> None:
        features = ensemble.reference[None, :].copy()
        features[0, NAMES.index("feedback.complaints")] = 3

        judgement = ensemble.judge(features, content_probabilities=np.array([NAN]))

        assert np.isnan(judgement.main_inputs[0]).tolist() == [True, True, False, True]

    @pytest.mark.parametrize(
        ("known", "speaking"),
        [
            ({"author": dataclasses.replace(NOTHING_KNOWN.author, is_verified=True)}, {"behaviour"}),
            ({"author": dataclasses.replace(NOTHING_KNOWN.author, friends=80, followers=50)}, set()),
            ({"ip": "192.0.2.7", "ip_asn": 64496}, set()),
            ({"author_history": History(posts=9, confirmed_spam=9)}, {"behaviour"}),
        ],
    )
    def test_what_changes_nothing_is_no_opinion(
        self, ensemble: Ensemble, known: Any, speaking: set[str]
    ) -> None:
        row = extract(dataclasses.replace(NOTHING_KNOWN, **known), models=NO_MODELS)[None, :]
        content = np.array([0.5])
        judgement = ensemble.judge(row, content_probabilities=content)

        [said] = ensemble.opinions(judgement, content_probabilities=content)

        assert {name for name, opinion in said.items() if opinion is not None} == {"content", *speaking}

    def test_nothing_known_adds_nothing_to_the_text(self, ensemble: Ensemble) -> None:
        probabilities = np.linspace(0.001, 0.999, 201)

        judgement = ensemble.judge(np.tile(ensemble.reference, (201, 1)), content_probabilities=probabilities)

        assert judgement.margins == pytest.approx(content_margins(probabilities), abs=1e-12)

    def test_the_base_rate_stands_in_for_an_unknown_text(self, ensemble: Ensemble) -> None:
        judgement = ensemble.judge(ensemble.reference[None, :], content_probabilities=np.array([NAN]))

        assert judgement.margins == pytest.approx([ensemble.base_rate])

    def test_adds_the_same_to_all_texts_that_do_not_read_as_spam(self, ensemble: Ensemble) -> None:
        rows = random_rows(ensemble, 40)

        judgements = [
            ensemble.judge(rows, content_probabilities=np.full(len(rows), probability))
            for probability in (0.02, 0.5)
        ]

        gaps = judgements[1].margins - judgements[0].margins
        assert gaps == pytest.approx(gaps[0])

    @pytest.mark.parametrize("place", range(len(SUB_MODELS)), ids=SUB_MODELS)
    def test_never_falls_when_a_sub_model_rises(self, ensemble: Ensemble, place: int) -> None:
        ladder = np.linspace(-12, 12, 49)

        for row in np.random.default_rng(3).normal(scale=4, size=(40, len(SUB_MODELS))):
            rows = np.tile(row, (len(ladder), 1))
            rows[:, place] = ladder
            assert (np.diff(ensemble.main.margins(rows)) >= -1e-9).all()

    def test_withholds_what_goes_beyond_the_excuse(self, ensemble: Ensemble) -> None:
        strict = dataclasses.replace(ensemble, bounds=Bounds(excuse=0.0, earned=0.0, suspicion=1e9))
        rows = random_rows(ensemble, 60)

        judgement = strict.judge(rows, content_probabilities=np.full(len(rows), 0.5))

        assert (judgement.added < 0).any()
        assert (judgement.margins >= -1e-12).all()
        assert ((judgement.withheld > 0) == (judgement.added < 0)).all()

    def test_withholds_what_circumstances_alone_would_accuse_of(self, ensemble: Ensemble) -> None:
        strict = dataclasses.replace(ensemble, bounds=Bounds(excuse=1e9, earned=0.0, suspicion=0.0))
        rows = random_rows(ensemble, 60)
        proven = strict._without(UNPROVEN, rows)

        judgement, evidence = (
            strict.judge(part, content_probabilities=np.full(len(part), 0.5)) for part in (rows, proven)
        )

        assert (judgement.withheld < 0).any()
        assert (judgement.margins <= np.maximum(evidence.margins, 0) + 1e-12).all()


def test_links_never_take_what_the_rest_adds(ensemble: Ensemble) -> None:
    rows = random_rows(ensemble, 120)
    content = np.full(len(rows), 0.3)

    linked, unlinked = (
        ensemble.judge(part, content_probabilities=content).margins
        for part in (rows, ensemble._without(OF_LINKS, rows))
    )

    assert (linked >= unlinked - 1e-12).all()
    assert (linked > unlinked + 0.4).any()


def test_margins_do_not_change_when_features_are_added(
    ensemble: Ensemble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kept release goes on with what it knows: its scores are replayed by code with more features."""
    rows = random_rows(ensemble, 60)
    ensemble.save(tmp_path)
    before = _margins(tmp_path, rows)

    monkeypatch.setattr("scoring.ensemble.UNPROVEN", (*UNPROVEN, "context.later"))
    monkeypatch.setattr("scoring.ensemble.OF_LINKS", (*OF_LINKS, "context.later"))
    monkeypatch.setattr("scoring.ensemble.EARNED", EARNED | {"later": ("social.later", "social.never")})

    after = _margins(tmp_path, rows)
    assert after == before


def _margins(folder: Path, rows: Floats) -> list[float]:
    judged = Ensemble.load(folder).judge(rows, content_probabilities=np.full(len(rows), 0.3))
    margins: list[float] = judged.margins.tolist()
    return margins


class TestCalibrated:
    MARGINS = np.linspace(-30, 30, 601)

    @pytest.mark.parametrize(
        "calibration",
        [
            Calibration(method="platt", slope=0.8, intercept=-0.3),
            Calibration(method="isotonic", margins=(-2.0, 0.0, 3.0), probabilities=(0.01, 0.4, 0.99)),
        ],
        ids=["platt", "isotonic"],
    )
    def test_is_a_probability_that_never_falls(self, calibration: Calibration) -> None:
        probabilities = calibrated(self.MARGINS, calibration=calibration)

        assert ((probabilities >= 0) & (probabilities <= 1)).all()
        assert (np.diff(probabilities) >= 0).all()

    def test_refuses_an_unknown_method(self) -> None:
        with pytest.raises(Corrupt, match="tarot"):
            calibrated(self.MARGINS, calibration=Calibration(method="tarot"))


def test_content_margins_are_finite_log_odds_and_keep_nan() -> None:
    margins = content_margins(np.array([0.0, 0.5, 0.9, 1.0, NAN]))

    assert margins[:4] == pytest.approx([-13.8155, 0.0, 2.1972, 13.8155], abs=1e-3)
    assert np.isnan(margins[4])
    assert probabilities_of(margins[1:3]) == pytest.approx([0.5, 0.9])


class TestLoad:
    def test_saves_the_same_bytes_again(self, ensemble: Ensemble, tmp_path: Path) -> None:
        assert ensemble.save(tmp_path).read_bytes() == (STARTER / ENSEMBLE_FILE).read_bytes()

    @pytest.mark.parametrize(
        ("name", "value", "problem"),
        [
            ("format", 99, "format 99"),
            ("features", ["context.other"], "a value for each feature"),
            ("main", {"inputs": ["ip_url"], "base": 0.0, "trees": []}, "main tree must read"),
            ("base_rate", "low", "ValueError"),
            ("reference", [0.0], "a value for each feature"),
            ("bounds", {"excuse": -1.0, "earned": 0.0, "suspicion": 0.0}, "at least 0"),
            ("sub_models", {}, "ip_url"),
        ],
    )
    def test_refuses_a_damaged_file(self, tmp_path: Path, name: str, value: object, problem: str) -> None:
        stored = json.loads((STARTER / ENSEMBLE_FILE).read_text())
        (tmp_path / ENSEMBLE_FILE).write_text(json.dumps({**stored, name: value}))

        with pytest.raises(Corrupt, match=problem):
            Ensemble.load(tmp_path)

    def test_refuses_a_missing_and_a_torn_file(self, tmp_path: Path) -> None:
        with pytest.raises(Corrupt, match="cannot be read"):
            Ensemble.load(tmp_path)

        (tmp_path / ENSEMBLE_FILE).write_bytes((STARTER / ENSEMBLE_FILE).read_bytes()[:1000])
        with pytest.raises(Corrupt, match=ENSEMBLE_FILE):
            Ensemble.load(tmp_path)
