"""Sentences of the feedback features: complaints and answers."""

from __future__ import annotations

from moderation.web.sentences.sentence import Sentence, hours, number, share, things

_NO_COMPLAINTS = "Nobody has complained about this post"

SENTENCES: dict[str, Sentence] = {
    "feedback.complaints": Sentence(things("complaint", "complaints", " about this post"), _NO_COMPLAINTS),
    "feedback.complaints_per_hour": Sentence(
        number("{} complaints an hour since it was posted"), _NO_COMPLAINTS
    ),
    "feedback.hours_to_first_complaint": Sentence(
        hours("First complaint after {}"), "First complaint at once", _NO_COMPLAINTS
    ),
    "feedback.distinct_reasons": Sentence(
        things("reason", "different reasons", " given in complaints"), _NO_COMPLAINTS
    ),
    "feedback.reliable_complaints": Sentence(
        number("Complaints weigh {} when reporters count by how often they were right"), _NO_COMPLAINTS
    ),
    "feedback.best_reporter_reliability": Sentence(
        share("The most reliable reporter was right in {} of cases"), unknown=_NO_COMPLAINTS
    ),
    "feedback.best_reporter_certainty": Sentence(
        share("The surest reporter is right in at least {} of cases"),
        "No reporter has been right before",
        _NO_COMPLAINTS,
    ),
    "feedback.witnesses": Sentence(
        things("independent complaint", "independent complaints", "; copies count once"), _NO_COMPLAINTS
    ),
    "feedback.reliable_witnesses": Sentence(
        number("Independent complaints weigh {} by how sure their reporters are"),
        "No complaint by a reliable reporter",
    ),
    "feedback.copied_share": Sentence(
        share("{} of the complaints are copies of others"), "No complaint copies another", _NO_COMPLAINTS
    ),
    "feedback.spam_reason_share": Sentence(
        share("{} of complaints say spam or scam"), "No complaint says spam or scam", _NO_COMPLAINTS
    ),
    "feedback.shares": Sentence(things("time", "times", " shared"), "Not shared yet", "Shares are unknown"),
    "feedback.comments": Sentence(
        things("answer", "answers", " to the post"), "No answers yet", "Answers are unknown"
    ),
}
