"""Reactions of other users: complaints, shares, replies. Read by the sub-model feedback."""

from __future__ import annotations

import math

from scoring.features.complaint_clusters import complaint_clusters
from scoring.features.feature import UNKNOWN, Evidence, Feature, days_between, number_or_unknown
from scoring.records import ComplaintRecord, PostRecord

SUB_MODEL = "feedback"

_SPAM_WORDS = ("spam", "scam", "phish", "fraud", "malware", "fake", "bot")
_SHORTEST_HOURS = 1.0 / 60.0
_ONE_SIDED_90 = 1.2816


def _per_hour(record: PostRecord) -> float:
    """Rate per hour.

    The age is at least a minute, since a complaint within seconds would give an absurd rate.
    """
    hours = 24.0 * days_between(record.posted_at, record.at)
    return len(record.complaints) / max(_SHORTEST_HOURS, hours)


def _hours_to_first(record: PostRecord) -> float:
    if not record.complaints:
        return UNKNOWN
    return 24.0 * days_between(
        record.posted_at, min(complaint.reported_at for complaint in record.complaints)
    )


def _reliability(complaint: ComplaintRecord) -> float:
    """Mean of the beta posterior of the reporter being right, uniform prior: a new reporter counts half."""
    return (complaint.reporter_confirmed + 1.0) / (
        complaint.reporter_confirmed + complaint.reporter_rejected + 2.0
    )


def _certainty(complaint: ComplaintRecord) -> float:
    """Lower 90 % bound of the same posterior, by its normal approximation: 0.13 for a new reporter."""
    right, wrong = complaint.reporter_confirmed + 1.0, complaint.reporter_rejected + 1.0
    total = right + wrong
    spread = math.sqrt(right * wrong / (total * total * (total + 1.0)))
    return max(0.0, right / total - _ONE_SIDED_90 * spread)


def _best_certainty(record: PostRecord) -> float:
    return max((_certainty(complaint) for complaint in record.complaints), default=UNKNOWN)


def _reliable_witnesses(record: PostRecord) -> float:
    """Sum the best reporter of each group of copied complaints: a brigade counts as its best member."""
    return sum(
        (
            max(_certainty(complaint) for complaint in witness)
            for witness in complaint_clusters(record.complaints)
        ),
        start=0.0,
    )


def _copied_share(record: PostRecord) -> float:
    if not record.complaints:
        return UNKNOWN
    return 1.0 - len(complaint_clusters(record.complaints)) / len(record.complaints)


def _reliable_complaints(record: PostRecord) -> float:
    return sum((_reliability(complaint) for complaint in record.complaints), start=0.0)


def _best_reliability(record: PostRecord) -> float:
    return max((_reliability(complaint) for complaint in record.complaints), default=UNKNOWN)


def _spam_reason_share(record: PostRecord) -> float:
    if not record.complaints:
        return UNKNOWN
    return sum(_says_spam(complaint) for complaint in record.complaints) / len(record.complaints)


def _says_spam(complaint: ComplaintRecord) -> bool:
    reason = complaint.reason.lower()
    return any(word in reason for word in _SPAM_WORDS)


FEATURES: tuple[Feature, ...] = (
    Feature(
        name="feedback.complaints",
        unit="complaints",
        meaning="Complaints about the post",
        why="Users report what the filter missed",
        evidence=Evidence.PROOF,
        direction=+1,
        mission_name="users' feedback",
        compute=lambda record: float(len(record.complaints)),
    ),
    Feature(
        name="feedback.complaints_per_hour",
        unit="complaints/hour",
        meaning="Complaints per hour since the post, which counts as at least a minute old",
        why="Spam annoys many people at once",
        evidence=Evidence.PROOF,
        direction=+1,
        mission_name="users' feedback",
        compute=_per_hour,
    ),
    Feature(
        name="feedback.hours_to_first_complaint",
        unit="hours",
        meaning="Time from the post to its first complaint; unknown without complaints",
        why="Obvious spam is reported within minutes",
        evidence=Evidence.PROOF,
        compute=_hours_to_first,
    ),
    Feature(
        name="feedback.distinct_reasons",
        unit="reasons",
        meaning="Distinct reasons given",
        why="Honest complaints about spam agree; a quarrel draws all sorts",
        evidence=Evidence.PROOF,
        compute=lambda record: float(len({complaint.reason for complaint in record.complaints})),
    ),
    Feature(
        name="feedback.reliable_complaints",
        unit="complaints",
        meaning="Complaints, each weighted by how often its reporter was right (a new reporter counts half)",
        why="Some report whatever they dislike; brigades use new accounts",
        evidence=Evidence.PROOF,
        direction=+1,
        mission_name="users' feedback",
        compute=_reliable_complaints,
    ),
    Feature(
        name="feedback.best_reporter_reliability",
        unit="share",
        maximum=1.0,
        meaning="How often the most reliable reporter has been right; unknown without complaints",
        why="One proven reporter outweighs a crowd",
        evidence=Evidence.PROOF,
        direction=+1,
        compute=_best_reliability,
    ),
    Feature(
        name="feedback.best_reporter_certainty",
        unit="share",
        maximum=1.0,
        meaning="How often the surest reporter is right at least (90 % bound); unknown without complaints",
        why="Two lucky reports do not make a reliable reporter, forty do",
        evidence=Evidence.PROOF,
        direction=+1,
        mission_name="users' feedback",
        compute=_best_certainty,
    ),
    Feature(
        name="feedback.witnesses",
        unit="witnesses",
        meaning="Independent complaints: copies (same reason, time and note, or new accounts) count once",
        why="A brigade agreed elsewhere is one opinion, however many accounts repeat it",
        evidence=Evidence.PROOF,
        direction=+1,
        mission_name="users' feedback",
        compute=lambda record: float(len(complaint_clusters(record.complaints))),
    ),
    Feature(
        name="feedback.reliable_witnesses",
        unit="witnesses",
        meaning="Independent complaints, each weighted by how often its surest reporter is right at least",
        why="Several people who never met and were right before are hardly wrong together",
        evidence=Evidence.PROOF,
        direction=+1,
        mission_name="users' feedback",
        compute=_reliable_witnesses,
    ),
    Feature(
        name="feedback.copied_share",
        unit="share",
        maximum=1.0,
        meaning="Share of complaints that repeat another one; unknown without complaints",
        why="Brigades silence honest authors by copied complaints",
        evidence=Evidence.PROOF,
        mission_name="users' feedback",
        compute=_copied_share,
    ),
    Feature(
        name="feedback.spam_reason_share",
        unit="share",
        maximum=1.0,
        meaning="Share of complaints that say spam, scam, phishing or the like; unknown without complaints",
        why="Hate and quarrels are reported too, for other reasons",
        evidence=Evidence.PROOF,
        compute=_spam_reason_share,
    ),
    Feature(
        name="feedback.shares",
        unit="shares",
        meaning="How often the post was shared",
        why="Nobody shares spam but its own network",
        evidence=Evidence.SHOWN,
        mission_name="post_share_count",
        compute=lambda record: number_or_unknown(record.shares),
    ),
    Feature(
        name="feedback.comments",
        unit="comments",
        meaning="Answers that the post drew",
        why="Spam starts no conversation",
        evidence=Evidence.SHOWN,
        mission_name="post_comment_count",
        compute=lambda record: number_or_unknown(record.comments),
    ),
)
