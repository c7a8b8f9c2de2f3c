"""The shipped models: silence, monotony, calibration, and what may not be loaded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.ensemble import (
    ENSEMBLE_FILE,
    MAIN_INPUTS,
    Ensemble,
    calibrated,
    content_margins,
    probabilities_of,
)
from scoring.features import NAMES
from scoring.release import Calibration, Corrupt
from tests.scoring.starter import STARTER

NAN = float("nan")


@pytest.fixture(scope="module")
def ensemble() -> Ensemble:
    return Ensemble.load(STARTER)


def random_inputs(count: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    generator = np.random.default_rng(3)
    inputs = generator.normal(scale=4, size=(count, len(MAIN_INPUTS)))
    inputs[generator.random(inputs.shape) < 0.2] = np.nan
    return inputs


class TestMainInputs:
    def test_a_family_that_is_unknown_is_silent(self, ensemble: Ensemble) -> None:
        features = np.full((1, len(NAMES)), np.nan)

        inputs = ensemble.main_inputs(features, content_probabilities=np.array([0.5]))

        assert np.isnan(inputs[0, :3]).all()
        assert inputs[0, 3] == 0.0

    def test_one_known_feature_makes_its_family_speak(self, ensemble: Ensemble) -> None:
        features = np.full((1, len(NAMES)), np.nan)
        features[0, NAMES.index("feedback.complaints")] = 3

        inputs = ensemble.main_inputs(features, content_probabilities=np.array([NAN]))

        assert np.isnan(inputs[0]).tolist() == [True, True, False, True]


class TestMainMargins:
    @pytest.mark.parametrize("place", range(len(MAIN_INPUTS)), ids=MAIN_INPUTS)
    def test_never_fall_when_an_input_rises(self, ensemble: Ensemble, place: int) -> None:
        ladder = np.linspace(-12, 12, 49)

        for row in random_inputs(40):
            rows = np.tile(row, (len(ladder), 1))
            rows[:, place] = ladder
            assert (np.diff(ensemble.main_margins(rows)) >= -1e-9).all()

    def test_rise_with_every_step_of_the_content_margin(self, ensemble: Ensemble) -> None:
        rows = np.full((201, len(MAIN_INPUTS)), np.nan)
        rows[:, -1] = np.linspace(-10, 10, 201)

        assert (np.diff(ensemble.main_margins(rows)) > 0).all()


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


class TestContentMargins:
    def test_are_finite_log_odds_and_keep_nan(self) -> None:
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
            ("features", ["context.other"], "not in"),
            ("main", {"inputs": ["ip_url"], "base": 0.0, "trees": []}, "main tree must read"),
            ("content_slope", "steep", "ValueError"),
            ("sub_models", {}, "ip_url"),
        ],
    )
    def test_refuses_a_damaged_file(self, tmp_path: Path, name: str, value: object, problem: str) -> None:
        stored = json.loads((STARTER / ENSEMBLE_FILE).read_text())
        (tmp_path / ENSEMBLE_FILE).write_text(json.dumps({**stored, name: value}))

        with pytest.raises(Corrupt, match=problem):
            Ensemble.load(tmp_path)

    def test_refuses_a_torn_file(self, tmp_path: Path) -> None:
        shutil.copy(STARTER / ENSEMBLE_FILE, tmp_path)
        path = tmp_path / ENSEMBLE_FILE
        path.write_bytes(path.read_bytes()[:1000])

        with pytest.raises(Corrupt, match=ENSEMBLE_FILE):
            Ensemble.load(tmp_path)

    def test_refuses_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(Corrupt, match="cannot be read"):
            Ensemble.load(tmp_path)
