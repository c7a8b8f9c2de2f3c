"""What an import of past actions shows: counts as JSON, from which the page computes shares and intervals."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from integrations.past_file import Columns
from moderation.models import desk_settings
from moderation.models.scores import RouteChoice
from moderation.operations.learning.past_posts import PastPost
from moderation.operations.learning.past_verdicts import Judged
from scoring.release import Release

_MOST_LANGUAGES = 20

Counted = dict[str, Any]


def build(
    *,
    posts: Sequence[PastPost],
    judged: Judged,
    options: Sequence[Counted],
    columns: Columns,
    older: int,
    why: str,
) -> Counted:
    """Return the report on the judged posts, in the order of time; `older` were learnt from, or `why` none.

    `judged` is by the last of the options.
    """
    times = [past.post.posted_at for past in posts]
    # Of what people looked at, some may have ended in something that says neither.
    by_hand = sum(past.is_judged or (past.is_spam is None and not columns.is_whole) for past in posts)
    languages = Counter(past.post.language for past in posts)
    return {
        "posts": len(posts),
        "older": older,
        "why": why,
        "first_at": times[0].isoformat(),
        "last_at": times[-1].isoformat(),
        "spam": sum(past.is_spam is True for past in posts),
        "not_spam": sum(past.is_spam is False for past in posts),
        "unknown": sum(past.is_spam is None for past in posts),
        "by_hand": by_hand,
        "hours_by_hand": by_hand * columns.seconds / 3_600,
        "is_whole": columns.is_whole,
        "seconds": columns.seconds,
        "options": list(options),
        "languages": [
            {"name": language} | _counts(posts, judged=judged, language=language)
            for language, _count in languages.most_common(_MOST_LANGUAGES)
        ],
    }


def option(
    release: Release, *, judged: Judged, posts: Sequence[PastPost], columns: Columns, platform: str
) -> Counted:
    """Return what a release would have done with posts, and the hours of work that remain.

    At first people confirm every removal and check a share of what is let through; later they check the
    release's share of both.
    """
    counts = _counts(posts, judged=judged)
    allowed, people, removed = (counts[name][0] for name in ("allowed", "people", "removed"))
    thresholds = release.thresholds_on(platform)
    first_share = desk_settings.current().audit_first_percent / 100
    at_first = people + removed + first_share * allowed
    later = people + thresholds.audit_rate * (allowed + removed)
    return counts | {
        "release": release.id,
        "review_from": thresholds.review_from,
        "remove_from": thresholds.remove_from,
        "first_share": first_share,
        "hours_at_first": at_first * columns.seconds / 3_600,
        "hours_later": later * columns.seconds / 3_600,
    }


def _counts(posts: Sequence[PastPost], *, judged: Judged, language: str | None = None) -> Counted:
    """Return pairs (part, of how many): where posts go; right among the removed; spam that would be let
    through, and other posts removed, among those of which it is known.
    """
    counted = Counter(
        (route, past.is_spam)
        for past, route in zip(posts, judged.routes, strict=True)
        if language is None or past.post.language == language
    )

    def number(route: str | None = None, is_spam: object = ...) -> int:
        return sum(
            count
            for (way, truth), count in counted.items()
            if route in (None, way) and is_spam in (..., truth)
        )

    allow, review, remove = RouteChoice.ALLOW.value, RouteChoice.REVIEW.value, RouteChoice.REMOVE.value
    return {
        "allowed": (number(allow), number()),
        "people": (number(review), number()),
        "removed": (number(remove), number()),
        "precision": (
            number(remove, is_spam=True),
            number(remove, is_spam=True) + number(remove, is_spam=False),
        ),
        "missed": (number(allow, is_spam=True), number(is_spam=True)),
        "wrong": (number(remove, is_spam=False), number(is_spam=False)),
    }
