"""Sentences of the journey features. Without a journey there are none."""

from django.utils.translation import gettext

from moderation.queries.cases.case_pages import PostRecord
from moderation.web.quantities import count
from moderation.web.sentences.sentence import (
    Decided,
    Leaning,
    Sentence,
    either_side,
    flag,
    number,
    seconds,
    things,
)

_LIKE_SPAMMERS = "The steps before posting look more like a spammer's than an honest author's"
_LIKE_HONEST = "The steps before posting look more like an honest author's than a spammer's"


def _different_steps(_: float, record: PostRecord) -> str:
    steps = len(record.journey)
    different = len({step.name for step in record.journey})
    return gettext("{} different steps among {}").format(count(different), count(steps)) if steps > 1 else ""


SENTENCES: dict[str, Sentence | Decided] = {
    "journey.steps": Sentence(things("step", "steps", " on the platform before posting")),
    "journey.seconds": Sentence(seconds("Written and posted within {}"), "Posted the instant it was started"),
    "journey.seconds_to_first_key": Sentence(
        seconds("First key pressed after {}"), "First key pressed immediately"
    ),
    "journey.seconds_per_step": Sentence(seconds("{} between steps on average"), "No time between steps"),
    "journey.interval_variation": Sentence(
        number("Variation in the rhythm of the steps: {} (people: about 1; scripts: near 0)"),
        "Steps as regular as a script's",
        leans=lambda value: Leaning.SPAM if value < 0.2 else Leaning.EITHER,
    ),
    "journey.has_paste": Sentence(flag("The text was pasted"), "The text was not pasted", leans=Leaning.SPAM),
    "journey.distinct_step_share": Sentence(_different_steps),
    "journey.sequence_log_ratio": Sentence(
        either_side(0.0, above=_LIKE_SPAMMERS, below=_LIKE_HONEST), is_signed=True
    ),
    "journey.sequence_probability": Sentence(either_side(0.5, above=_LIKE_SPAMMERS, below=_LIKE_HONEST)),
}
