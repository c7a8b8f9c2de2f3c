"""Reactions of other users: complaints, shares, replies. Read by the sub-model feedback."""

import functools
import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from datetime import timedelta

from scoring.features.feature import UNKNOWN, Evidence, Feature, ProofFeature, days_between, number_or_unknown
from scoring.records import ComplaintRecord, PostRecord

SUB_MODEL = "feedback"

_SPAM_WORDS = ("spam", "scam", "phish", "fraud", "malware", "fake", "bot")
_SHORTEST_HOURS = 1.0 / 60.0
_ONE_SIDED_90 = 1.2816
# Independent people do not write the same note within the hour; new accounts seldom act within
# the same ten minutes.
_SAME_NOTE_WITHIN = timedelta(hours=1)
_NEW_ACCOUNTS_WITHIN = timedelta(minutes=10)
_NEW_FOR = timedelta(days=1)


@functools.lru_cache(maxsize=1024)
def complaint_clusters(complaints: tuple[ComplaintRecord, ...]) -> tuple[tuple[ComplaintRecord, ...], ...]:
    """Return the complaints in groups that stand for one witness each, in order of time.

    Two complaints are one witness if they give the same reason and, within an hour of each other, the same
    note, or come within ten minutes from accounts that are new and were never proved right or wrong; and so
    on from copy to copy.
    """
    ordered = sorted(complaints, key=lambda complaint: complaint.reported_at)
    leader = list(range(len(ordered)))
    _join(ordered, leader, key=_note_key, within=_SAME_NOTE_WITHIN)
    _join(ordered, leader, key=_new_account_key, within=_NEW_ACCOUNTS_WITHIN)
    groups: dict[int, list[ComplaintRecord]] = defaultdict(list)
    for place, complaint in enumerate(ordered):
        groups[_first(leader, place)].append(complaint)
    return tuple(tuple(group) for group in groups.values())


def _note_key(complaint: ComplaintRecord) -> Hashable:
    return (complaint.reason, complaint.note) if complaint.note else None


def _new_account_key(complaint: ComplaintRecord) -> Hashable:
    seen_at = complaint.reporter_seen_at
    is_judged = complaint.reporter_confirmed or complaint.reporter_rejected
    if is_judged or seen_at is None or complaint.reported_at - seen_at > _NEW_FOR:
        return None
    return complaint.reason


def _join(
    ordered: Sequence[ComplaintRecord],
    leader: list[int],
    *,
    key: Callable[[ComplaintRecord], Hashable],
    within: timedelta,
) -> None:
    """Join neighbours in time of equal key; None is no key."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, complaint in enumerate(ordered):
        value = key(complaint)
        if value is not None:
            places[value].append(place)
    for same in places.values():
        for earlier, later in itertools.pairwise(same):
            if ordered[later].reported_at - ordered[earlier].reported_at <= within:
                first, second = sorted((_first(leader, earlier), _first(leader, later)))
                leader[second] = first


def _first(leader: list[int], place: int) -> int:
    while leader[place] != place:
        place = leader[place]
    return place


def _per_hour(record: PostRecord) -> float:
    """Rate per hour. An account has no age here: it comes in with its first complaint.

    The age is at least a minute, since a complaint within seconds would give an absurd rate.
    """
    if record.is_account:
        return UNKNOWN
    hours = 24.0 * days_between(record.posted_at, record.at)
    return len(record.complaints) / max(_SHORTEST_HOURS, hours)


def _hours_to_first(record: PostRecord) -> float:
    if not record.complaints or record.is_account:
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
    ProofFeature(
        name="feedback.complaints",
        unit="complaints",
        meaning="Complaints about the post",
        why="Users report what the filter missed",
        mission_name="users' feedback",
        compute=lambda record: float(len(record.complaints)),
    ),
    ProofFeature(
        name="feedback.complaints_per_hour",
        unit="complaints/hour",
        meaning="Complaints per hour since the post, at least a minute old; unknown of an account",
        why="Spam annoys many people at once",
        mission_name="users' feedback",
        compute=_per_hour,
    ),
    ProofFeature(
        name="feedback.hours_to_first_complaint",
        unit="hours",
        meaning="Time from the post to its first complaint; unknown without complaints and of an account",
        why="Obvious spam is reported within minutes",
        direction=0,
        compute=_hours_to_first,
    ),
    ProofFeature(
        name="feedback.distinct_reasons",
        unit="reasons",
        meaning="Distinct reasons given",
        why="Honest complaints about spam agree; a quarrel draws all sorts",
        direction=0,
        compute=lambda record: float(len({complaint.reason for complaint in record.complaints})),
    ),
    ProofFeature(
        name="feedback.reliable_complaints",
        unit="complaints",
        meaning="Complaints, each weighted by how often its reporter was right (a new reporter counts half)",
        why="Some report whatever they dislike; brigades use new accounts",
        mission_name="users' feedback",
        compute=_reliable_complaints,
    ),
    ProofFeature(
        name="feedback.best_reporter_reliability",
        unit="share",
        meaning="How often the most reliable reporter has been right; unknown without complaints",
        why="One proven reporter outweighs a crowd",
        compute=_best_reliability,
    ),
    ProofFeature(
        name="feedback.best_reporter_certainty",
        unit="share",
        meaning="How often the surest reporter is right at least (90 % bound); unknown without complaints",
        why="Two lucky reports do not make a reliable reporter, forty do",
        mission_name="users' feedback",
        compute=_best_certainty,
    ),
    ProofFeature(
        name="feedback.witnesses",
        unit="witnesses",
        meaning="Independent complaints: copies (same reason, time and note, or new accounts) count once",
        why="A brigade agreed elsewhere is one opinion, however many accounts repeat it",
        mission_name="users' feedback",
        compute=lambda record: float(len(complaint_clusters(record.complaints))),
    ),
    ProofFeature(
        name="feedback.reliable_witnesses",
        unit="witnesses",
        meaning="Independent complaints, each weighted by how often its surest reporter is right at least",
        why="Several people who never met and were right before are hardly wrong together",
        mission_name="users' feedback",
        compute=_reliable_witnesses,
    ),
    ProofFeature(
        name="feedback.copied_share",
        unit="share",
        meaning="Share of complaints that repeat another one; unknown without complaints",
        why="Brigades silence honest authors by copied complaints",
        direction=0,
        mission_name="users' feedback",
        compute=_copied_share,
    ),
    ProofFeature(
        name="feedback.spam_reason_share",
        unit="share",
        meaning="Share of complaints that say spam, scam, phishing or the like; unknown without complaints",
        why="Hate and quarrels are reported too, for other reasons",
        direction=0,
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
