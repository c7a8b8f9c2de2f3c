"""Sentences of the journey features: way to the post."""

from __future__ import annotations

from moderation.web.sentences.sentence import Sentence, flag, number, seconds, share, things

_NO_JOURNEY = "No journey was sent"
_NOT_UNDERSTOOD = "No journey was sent, or its steps say nothing"

SENTENCES: dict[str, Sentence] = {
    "journey.steps": Sentence(
        things("step", "steps", " in the platform led to the post"), unknown=_NO_JOURNEY
    ),
    "journey.seconds": Sentence(
        seconds("Written and posted within {}"), "Posted in the instant it was begun", _NO_JOURNEY
    ),
    "journey.seconds_to_first_key": Sentence(
        seconds("The first key came after {}"),
        "The first key came at once",
        "No key was pressed, or no journey was sent",
    ),
    "journey.seconds_per_step": Sentence(
        seconds("{} between steps on average"), "No time at all between steps", "The pace of steps is unknown"
    ),
    "journey.interval_variation": Sentence(
        number("Rhythm of the steps varies by {} (people: about 1; scripts: near 0)"),
        "Steps as regular as a script's",
        "The rhythm of steps is unknown",
    ),
    "journey.has_paste": Sentence(flag("The text was pasted"), "The text was not pasted", _NO_JOURNEY),
    "journey.distinct_step_share": Sentence(
        share("{} of the steps differ from one another"), unknown=_NO_JOURNEY
    ),
    "journey.sequence_log_ratio": Sentence(
        number("The way to the post fits spammers' ways better by {} a step (below 0: worse)"),
        "The way to the post fits spammers and honest authors alike",
        _NOT_UNDERSTOOD,
    ),
    "journey.sequence_probability": Sentence(
        share("The way to the post by itself: {} spam"), unknown=_NOT_UNDERSTOOD
    ),
}
