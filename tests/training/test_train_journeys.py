"""Training the journey model on random records."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from scoring.journeys import JourneyModel
from scoring.records import JourneyStep
from tests.json_lines import written
from tests.scoring.random_records import labelled
from tests.training.test_labelled_records import line_of
from training import __main__ as command
from training import train_journeys
from training.labelled_lines import Origin
from training.labelled_records import LabelledRecord

SOURCE = {"file": "random.jsonl", "sha256": "0" * 64}


def walking(count: int) -> list[LabelledRecord]:
    """Random records whose spammers mostly paste at once, and whose people mostly type."""
    generator = np.random.default_rng(4)
    found = []
    for one in labelled(count):
        pastes = one.is_spam != bool(generator.random() < 0.1)
        names = ["open", "paste", "submit"] if pastes else ["open", "key", "key", "key", "submit"]
        pauses = generator.exponential(100 if pastes else 2000, size=len(names)).cumsum()
        steps = tuple(JourneyStep(name=name, at_ms=int(at)) for name, at in zip(names, pauses, strict=True))
        found.append(dataclasses.replace(one, record=dataclasses.replace(one.record, journey=steps)))
    return found


class TestTrain:
    def test_learns_the_way_and_says_on_what_it_was_measured(self) -> None:
        model = train_journeys.train(walking(900), source=SOURCE)

        assert model.trained["roc_auc"] > 0.8
        assert model.trained["simulated"] is True
        assert model.trained["known"] == 900
        assert 0 < model.trained["tested"] < 200

    def test_refuses_a_part_of_one_sort(self) -> None:
        with pytest.raises(ValueError, match="needs both sorts"):
            train_journeys.train([one for one in walking(300) if one.is_spam], source=SOURCE)

    def test_decisions_outweigh_what_was_simulated(self) -> None:
        """Simulated spammers type and people paste; those who decide see the opposite."""
        simulated = [dataclasses.replace(one, is_spam=not one.is_spam) for one in walking(600)]
        decided = [
            dataclasses.replace(one, origin=Origin.DECIDED, kind="decision", group=f"d{one.group}")
            for one in walking(3_000)
        ]

        model = train_journeys.train([*simulated, *decided], source=SOURCE)

        assert model.trained["fitted_on"]["decided"]["tests"]["posts"] == 3_000
        assert model.trained["roc_auc"] > 0.75


def test_the_command_writes_model_and_page(tmp_path: Path) -> None:
    records, page = written(tmp_path / "journeys.jsonl", map(line_of, walking(400))), tmp_path / "models.md"

    command.main(["journeys", "--records", str(records), "--out", str(tmp_path), "--card", str(page)])

    model = JourneyModel.load(tmp_path)
    assert f"{model.trained['roc_auc']:.4f}" in page.read_text()
    assert "$" not in page.read_text()
