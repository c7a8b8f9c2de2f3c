"""Which complaints are copies of one another: a brigade of copies is one witness, not thirty."""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from datetime import timedelta

from scoring.records import ComplaintRecord

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
