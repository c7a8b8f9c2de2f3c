"""The journey model: how steps are read, what is understood, and what may not be loaded."""

import json
import math
from pathlib import Path

import pytest

from scoring.journeys import CLASSES, JOURNEYS_FILE, JourneyModel, class_of, is_understood, tokens
from scoring.records import JourneyStep
from scoring.release import Corrupt
from tests.scoring.starter import STARTER


@pytest.fixture(scope="module")
def model() -> JourneyModel:
    return JourneyModel.load(STARTER)


def walked(*steps: tuple[str, int]) -> tuple[JourneyStep, ...]:
    return tuple(JourneyStep(name=name, at_ms=at_ms) for name, at_ms in steps)


PERSON = walked(
    ("open_feed", 0),
    ("scroll", 2400),
    ("scroll", 6100),
    ("open_composer", 9000),
    ("focus_text", 9700),
    ("key", 11900),
    ("key", 12300),
    ("delete", 15800),
    ("key", 16200),
    ("press_send", 19000),
)
SCRIPT = walked(("open_composer", 0), ("paste", 100), ("attach_link", 201), ("submit", 300))


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("KeyDown", "key"), ("typing_burst", "key"), ("clipboard-paste", "paste"), ("open_feed", "read"),
        ("composer.open", "open"), ("press_send", "submit"), ("api_open", "api"), ("Backspace", "delete"),
        ("qwrz", "other"),
    ],
)  # fmt: skip
def test_class_of_reads_names_by_the_words_in_them(name: str, meaning: str) -> None:
    assert CLASSES[class_of(name)][0] == meaning


class TestModel:
    def test_tells_a_script_from_a_person(self, model: JourneyModel) -> None:
        assert model.probability(SCRIPT) > 0.5 > model.probability(PERSON)
        assert model.log_ratio(SCRIPT) > model.log_ratio(PERSON)

    def test_does_not_care_how_a_platform_spells_its_steps(self, model: JourneyModel) -> None:
        spelt = walked(
            ("ComposerOpened", 0), ("text:Paste", 100), ("LinkAttached", 201), ("PostSubmitted", 300)
        )

        assert model.probability(spelt) == pytest.approx(model.probability(SCRIPT))

    @pytest.mark.parametrize(
        "steps",
        [(), walked(("submit", 0)), walked(("a", 0), ("b", 5), ("submit", 9))],
        ids=["none", "one", "not understood"],
    )
    def test_says_nothing_of_what_it_does_not_understand(
        self, model: JourneyModel, steps: tuple[JourneyStep, ...]
    ) -> None:
        assert not is_understood(steps)
        assert math.isnan(model.probability(steps))
        assert math.isnan(model.log_ratio(steps))

    def test_takes_steps_that_run_back_or_stand_still(self, model: JourneyModel) -> None:
        steps = walked(("open", 5000), ("key", 2000), ("submit", 2000))

        assert 0.0 < model.probability(steps) < 1.0
        assert [pause for _, _, pause in tokens(steps)] == [0, 0, 0]


class TestLoad:
    @pytest.mark.parametrize(
        ("name", "value", "problem"),
        [
            ("format", 9, "format 9"),
            ("weights", [1.0], "another shape"),
            ("intercept", "high", "ValueError"),
            ("log_ratios", [[[0.0]]], "another shape"),
        ],
    )
    def test_refuses_a_damaged_file(self, tmp_path: Path, name: str, value: object, problem: str) -> None:
        stored = json.loads((STARTER / JOURNEYS_FILE).read_text())
        (tmp_path / JOURNEYS_FILE).write_text(json.dumps({**stored, name: value}))

        with pytest.raises(Corrupt, match=problem):
            JourneyModel.load(tmp_path)

    def test_saves_the_same_bytes_again(self, model: JourneyModel, tmp_path: Path) -> None:
        assert model.save(tmp_path).read_bytes() == (STARTER / JOURNEYS_FILE).read_bytes()
