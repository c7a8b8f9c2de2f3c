"""Features as sentences that a moderator can check. A test demands one for every feature."""

import math

from django.utils.translation import gettext

from moderation.queries.cases.case_pages import PostRecord
from moderation.web.quantities import count, percent
from moderation.web.sentences import context, feedback, found, journey, social
from moderation.web.sentences.sentence import Decided, Leaning, Said, Sentence

__all__ = ["CONTENT", "Leaning", "Said", "is_of_evidence", "said"]

CONTENT = "content.text"
_OF_LINKS = ("context.url_", "context.domain_", "social.same_link")
_OF_READERS = ("feedback.shares", "feedback.comments")


def _of_text(value: float, _: PostRecord) -> Said:
    if value >= 0.5:
        return Said(gettext("The words read like spam ({})").format(percent(value)), Leaning.SPAM)
    return Said(gettext("The words hardly read like spam ({})").format(percent(value)), Leaning.HONEST)


_SENTENCES: dict[str, Sentence | Decided] = {
    **context.SENTENCES,
    **social.SENTENCES,
    **journey.SENTENCES,
    **feedback.SENTENCES,
    **found.SENTENCES,
    CONTENT: Sentence(_of_text),
}


def said(feature: str, value: float, *, record: PostRecord | None) -> Said | None:
    """Return the sentence for a feature's value, None if it is unknown or there is nothing to count.

    Without a record nothing can be counted. A feature of another release is shown by its name.
    """
    sentence = _SENTENCES.get(feature)
    if record is None:
        return None
    if sentence is None:
        return Said(f"{feature}: {count(value)}") if math.isfinite(value) else None
    return _nothing_there(feature, record) or sentence.of(value, record)


def _nothing_there(feature: str, record: PostRecord) -> Said | None:
    """Return the sentence for absent links or complaints; none if the platform never sends them."""
    if feature.startswith("feedback.") and not record.complaints and feature not in _OF_READERS:
        return Said(gettext(feedback.NO_COMPLAINTS), Leaning.HONEST)
    if feature.startswith(_OF_LINKS) and not record.links:
        return Said(gettext(context.NO_LINKS), Leaning.HONEST)
    return None


def is_of_evidence(feature: str) -> bool:
    """Return whether a feature is of collected evidence, which no search covers."""
    return feature in found.SENTENCES
