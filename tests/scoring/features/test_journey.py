"""Journey features, by table."""

import math

import pytest

from scoring.features import Models, journey
from scoring.journeys import JourneyModel
from scoring.records import JourneyStep, PostRecord
from tests.scoring.features.values import value_of
from tests.scoring.random_records import record
from tests.scoring.starter import STARTER

NAN = float("nan")
NAMES = [feature.name.removeprefix("journey.") for feature in journey.FEATURES if feature.judge is None]


def walked(*steps: tuple[str, int]) -> PostRecord:
    return record(journey=tuple(JourneyStep(name=name, at_ms=at_ms) for name, at_ms in steps))


PERSON = walked(("open", 0), ("scroll", 3000), ("scroll", 4000), ("first_key", 9000), ("submit", 16000))
BOT = walked(("open", 0), ("paste", 500), ("submit", 1000))


@pytest.mark.parametrize(
    ("post", "values"),
    [
        (PERSON, (5, 16, 9, 4, 0.5590, 0, 0.8)),
        (BOT, (3, 1, NAN, 0.5, 0, 1, 1)),
        (walked(("submit", 700)), (1, 0, NAN, NAN, NAN, 0, 1)),
        (walked(("open", 0), ("open", 0), ("open", 0)), (3, 0, NAN, 0, 0, 0, 1 / 3)),
        (walked(("open", 5000), ("KeyDown", 2000)), (2, 0, 0, 0, NAN, 0, 1)),
        (walked(), (NAN,) * 7),
    ],
    ids=["person", "bot", "one step", "all at once", "clock ran back", "no journey"],
)
def test_features_of_a_journey(post: PostRecord, values: tuple[float, ...]) -> None:
    found = tuple(value_of(f"journey.{name}", post) for name in NAMES)

    assert found == pytest.approx(values, abs=1e-3, nan_ok=True)


@pytest.mark.parametrize("name", ["journey.sequence_log_ratio", "journey.sequence_probability"])
def test_a_script_looks_more_like_spam_than_a_person(name: str) -> None:
    models = Models(journeys=JourneyModel.load(STARTER))

    assert value_of(name, BOT, models=models) > value_of(name, PERSON, models=models)
    assert math.isnan(value_of(name, walked(), models=models))
    assert math.isnan(value_of(name, BOT))
