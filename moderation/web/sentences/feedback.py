"""Sentences of the feedback features: complaints and replies."""

from django.utils.translation import gettext

from moderation.queries.cases.case_pages import PostRecord
from moderation.queries.outcome_counts import FEWEST_OF_A_SHARE
from moderation.web.quantities import count, counted, duration
from moderation.web.sentences.sentence import Decided, Leaning, Said, Says, Sentence, hours, things

_SPAM = Leaning.SPAM
NO_COMPLAINTS = "Nobody has complained about this post"
_REPORTERS = "The reporters were right in {} of {} earlier judged complaints"
_REPORTERS_FEW = "Earlier judged complaints of the reporters: {}"
_BEST_REPORTER = "The best reporter was right in {} of {} earlier judged complaints"
_BEST_REPORTER_FEW = "Earlier judged complaints of the best reporter: {}"
_COMPLAINTS = things("complaint", "complaints", " about this post")


def _of_several(says: Says) -> Says:
    """Return the plain count below two complaints: a single one is one fact, whatever the feature."""

    def said(value: float, record: PostRecord) -> str | Said:
        if len(record.complaints) < 2:
            return _COMPLAINTS(len(record.complaints), record) if record.complaints else ""
        return says(value, record)

    return said


def _pace(_: float, record: PostRecord) -> str:
    age = duration(max(0.0, (record.at - record.posted_at).total_seconds()))
    number_of = counted(len(record.complaints), "complaint", "complaints")
    return gettext("{} in the {} since it was posted").format(number_of, age)


def _copies(value: float, record: PostRecord) -> str:
    copied = round(value * len(record.complaints))
    return counted(copied, "complaint copies another", "complaints copy another")


def _saying_spam(value: float, record: PostRecord) -> str:
    saying = round(value * len(record.complaints))
    return counted(saying, "complaint mentions spam or a scam", "complaints mention spam or a scam")


def _reporters(_: float, record: PostRecord) -> str | Said:
    right = sum(complaint.reporter_confirmed for complaint in record.complaints)
    wrong = sum(complaint.reporter_rejected for complaint in record.complaints)
    return _judged(right, wrong, share=_REPORTERS, few=_REPORTERS_FEW)


def _best_reporter(_: float, record: PostRecord) -> str | Said:
    if not record.complaints:
        return ""
    best = max(
        record.complaints,
        key=lambda report: (
            (report.reporter_confirmed + 1.0) / (report.reporter_confirmed + report.reporter_rejected + 2.0)
        ),
    )
    return _judged(
        best.reporter_confirmed, best.reporter_rejected, share=_BEST_REPORTER, few=_BEST_REPORTER_FEW
    )


def _judged(right: int, wrong: int, *, share: str, few: str) -> str | Said:
    if not right + wrong:
        return ""
    leaning = Leaning.SPAM if right >= wrong else Leaning.HONEST
    if right + wrong >= FEWEST_OF_A_SHARE:
        return Said(gettext(share).format(count(right), count(right + wrong)), leaning)
    verdicts = ((gettext("{} right"), right), (gettext("{} wrong"), wrong))
    counts = ", ".join(words.format(count(number_of)) for words, number_of in verdicts if number_of)
    return Said(gettext(few).format(counts), leaning)


SENTENCES: dict[str, Sentence | Decided] = {
    "feedback.complaints": Sentence(_COMPLAINTS, NO_COMPLAINTS, leans=_SPAM),
    "feedback.complaints_per_hour": Sentence(_pace, NO_COMPLAINTS, leans=_SPAM),
    "feedback.hours_to_first_complaint": Sentence(
        hours("First complaint after {}"), "First complaint immediately"
    ),
    "feedback.distinct_reasons": Sentence(
        _of_several(things("reason", "different reasons", " given in complaints")),
        NO_COMPLAINTS,
        leans=_SPAM,
    ),
    "feedback.reliable_complaints": Sentence(_reporters, NO_COMPLAINTS, leans=_SPAM),
    "feedback.best_reporter_reliability": Sentence(_best_reporter),
    "feedback.best_reporter_certainty": Sentence(_best_reporter),
    "feedback.witnesses": Sentence(
        _of_several(things("independent complaint", "independent complaints", "; copies count once")),
        NO_COMPLAINTS,
        leans=_SPAM,
    ),
    "feedback.reliable_witnesses": Sentence(_reporters, NO_COMPLAINTS, leans=_SPAM),
    "feedback.copied_share": Sentence(_of_several(_copies)),
    "feedback.spam_reason_share": Sentence(
        _of_several(_saying_spam), "No complaint mentions spam or a scam", leans=_SPAM
    ),
    "feedback.shares": Sentence(things("share", "shares")),
    "feedback.comments": Sentence(things("reply", "replies", " to the post")),
}
