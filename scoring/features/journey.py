"""The journey: the author's steps through the platform's interface before the post. Read by behaviour.

Step names are the platform's own; keys and pasting are recognised by words in the name.
All measures are unknown if no journey was sent.
"""

from collections.abc import Callable
from functools import partial

from scoring.features.feature import UNKNOWN, Feature, Models
from scoring.journeys import pauses_of, variation
from scoring.records import JourneyStep, PostRecord

SUB_MODEL = "behaviour"

_KEY_WORDS = ("key", "type", "typing", "write")
_PASTE_WORDS = ("paste", "insert_from_clipboard")


def _of_steps(record: PostRecord, *, measure: Callable[[tuple[JourneyStep, ...]], float]) -> float:
    return measure(record.journey) if record.journey else UNKNOWN


def _seconds(steps: tuple[JourneyStep, ...]) -> float:
    return max(0, steps[-1].at_ms - steps[0].at_ms) / 1000.0


def _seconds_to_first_key(steps: tuple[JourneyStep, ...]) -> float:
    first = next((step for step in steps if _speaks_of(step, words=_KEY_WORDS)), None)
    return UNKNOWN if first is None else max(0, first.at_ms - steps[0].at_ms) / 1000.0


def _seconds_per_step(steps: tuple[JourneyStep, ...]) -> float:
    return _seconds(steps) / (len(steps) - 1) if len(steps) > 1 else UNKNOWN


def _interval_variation(steps: tuple[JourneyStep, ...]) -> float:
    return variation(pauses_of(steps)) if len(steps) > 2 else UNKNOWN


def _has_paste(steps: tuple[JourneyStep, ...]) -> float:
    return float(any(_speaks_of(step, words=_PASTE_WORDS) for step in steps))


def _distinct_share(steps: tuple[JourneyStep, ...]) -> float:
    return len({step.name for step in steps}) / len(steps)


def _sequence_log_ratio(record: PostRecord, models: Models) -> float:
    return UNKNOWN if models.journeys is None else models.journeys.log_ratio(record.journey)


def _sequence_probability(record: PostRecord, models: Models) -> float:
    return UNKNOWN if models.journeys is None else models.journeys.probability(record.journey)


def _speaks_of(step: JourneyStep, *, words: tuple[str, ...]) -> bool:
    name = step.name.lower()
    return any(word in name for word in words)


_StepsFeature = partial(Feature, direction=0)

FEATURES: tuple[Feature, ...] = (
    _StepsFeature(
        name="journey.steps",
        unit="steps",
        meaning="Steps from the first one to the post",
        why="Bots know the shortest way; people read, scroll and go back",
        mission_name="poster journey",
        compute=partial(_of_steps, measure=lambda steps: float(len(steps))),
    ),
    _StepsFeature(
        name="journey.seconds",
        unit="seconds",
        meaning="Time from the first step to the last",
        why="Programs do not read before they write",
        compute=partial(_of_steps, measure=_seconds),
    ),
    _StepsFeature(
        name="journey.seconds_to_first_key",
        unit="seconds",
        meaning="Time from the first step to the first key; unknown if no key was pressed",
        why="People think before they type",
        compute=partial(_of_steps, measure=_seconds_to_first_key),
    ),
    _StepsFeature(
        name="journey.seconds_per_step",
        unit="seconds",
        meaning="Mean time between steps; unknown for a single step",
        why="Scripts click faster than hands",
        compute=partial(_of_steps, measure=_seconds_per_step),
    ),
    _StepsFeature(
        name="journey.interval_variation",
        unit="ratio",
        meaning="Standard deviation of the time between steps over its mean; unknown under three steps",
        why="A timer ticks evenly, a person does not",
        compute=partial(_of_steps, measure=_interval_variation),
    ),
    _StepsFeature(
        name="journey.has_paste",
        unit="flag",
        meaning="1 if text was pasted on the way",
        why="The text of a campaign is not typed again for each post",
        compute=partial(_of_steps, measure=_has_paste),
    ),
    _StepsFeature(
        name="journey.distinct_step_share",
        unit="share",
        meaning="Distinct step names over steps",
        why="People repeat steps, scripts visit each once",
        compute=partial(_of_steps, measure=_distinct_share),
    ),
    Feature(
        name="journey.sequence_log_ratio",
        unit="nats/step",
        meaning="How much better a Markov chain of spammers' steps and pauses explains the journey than "
        "honest authors' does, per step; unknown if its steps are too few or not understood",
        why="Scripts take a way and a pace that people do not",
        mission_name="poster journey",
        judge=_sequence_log_ratio,
    ),
    Feature(
        name="journey.sequence_probability",
        unit="probability",
        meaning="The journey model's own score from way, pace, regularity and pasting; unknown likewise",
        why="The way to the post gives a script away even when its text does not",
        mission_name="poster journey",
        judge=_sequence_probability,
    ),
)
