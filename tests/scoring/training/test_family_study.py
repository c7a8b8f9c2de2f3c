"""What the sub-models are worth: signals are spoilt as stated, and every combination is measured."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.features import NAMES, NO_MODELS
from scoring.training import fit_forests
from scoring.training.ensemble_rows import Material, Rows, ask_content
from scoring.training.family_study import LEVELS, UNSPOILT, Spoilage, spoilt, study
from tests.scoring.random_records import FakeContent, labelled

pytestmark = [pytest.mark.xdist_group("family study"), pytest.mark.timeout(300)]

RECORDS = labelled(900)
SPOILAGE = Spoilage(missing=0.2, misleading=0.12)
JOURNEY = [place for place, name in enumerate(NAMES) if name.startswith("journey.steps")]


@pytest.fixture(scope="module")
def rows() -> Rows:
    return Material(RECORDS, ask_content(RECORDS, content=FakeContent()), 1, NO_MODELS).rows()


class TestSpoilt:
    def test_takes_away_and_swaps_as_often_as_stated(self, rows: Rows) -> None:
        changed = spoilt(rows, by=SPOILAGE, seed=3)

        missing = np.isnan(changed.content_probabilities)
        swapped = ~missing & (changed.content_probabilities != rows.content_probabilities)
        assert missing.mean() == pytest.approx(SPOILAGE.missing, abs=0.04)
        assert swapped.mean() == pytest.approx(SPOILAGE.misleading, abs=0.04)
        assert np.isnan(changed.features[:, JOURNEY]).mean() == pytest.approx(SPOILAGE.missing, abs=0.04)

    def test_leaves_address_and_complaints_alone(self, rows: Rows) -> None:
        kept = [place for place, name in enumerate(NAMES) if name.startswith(("context.", "feedback."))]

        changed = spoilt(rows, by=SPOILAGE, seed=3)

        np.testing.assert_array_equal(changed.features[:, kept], rows.features[:, kept])

    def test_leaves_the_simulation_as_it_is_at_the_first_level(self, rows: Rows) -> None:
        assert LEVELS[0] == UNSPOILT
        assert spoilt(rows, by=UNSPOILT, seed=3) is rows


class TestStudy:
    def test_measures_every_combination(self, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            fit_forests, "_SUB_MODEL", {**fit_forests._SUB_MODEL, "max_bins": 24, "max_iter": 15}
        )
        train, test = rows.taken(np.arange(600)), rows.taken(np.arange(600, 900))

        found = study(train, test, seed=1)

        assert len(found["pr_auc"]) == 15
        assert found["rows"] == 300
        assert found["pr_auc"]["ip_url + behaviour + feedback + content"] > found["pr_auc"]["feedback"]
        assert 0.5 < found["accuracy_of_behaviour_and_journey"] <= 1.0
