"""A score with its post, for explanations, whether or not there is a case; what moved it, and what leads."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from moderation.models import Score
from moderation.models.cases import CaseReason
from moderation.queries.latest_scores import contributions
from scoring import unread_script
from scoring.explain import CONTENT_TEXT, WITHHELD
from scoring.features import collected
from scoring.records import PostRecord

_UNBOUNDED = frozenset({CONTENT_TEXT, WITHHELD, *collected.NAMES})


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredPost:
    """A score, loaded with its revision, the post and its platform, and its release.

    `record` is None if it cannot be read any more; `case_id` is None if the score led to no case.
    `waits_since` is when the case in front was opened, if it is open.
    """

    score: Score
    record: PostRecord | None
    case_id: int | None
    waits_since: datetime | None = None

    @property
    def unread_script(self) -> str | None:
        """Return the script, as Unicode names it, that keeps the models which scored the post from reading
        it.
        """
        revision = self.score.revision
        return unread_script.in_release(
            revision.text, platform=revision.post.platform.slug, manifest=self.score.release.manifest
        )

    @property
    def is_unread(self) -> bool:
        """Whether what the models make of the text is noise, in a script that they cannot read."""
        return self.score.route_reason == CaseReason.UNREAD_SCRIPT or self.unread_script is not None

    @property
    def word_contributions(self) -> list[list[float]]:
        """Return [start, end, share] of the words that moved the text's share; empty where it is noise."""
        words: list[list[float]] | None = self.score.word_contributions
        return [] if not words or self.is_unread else words


def bounded_contributions(score: Score) -> Iterator[tuple[str, float | None, float]]:
    """Yield a score's contributions; those under bounds are scaled to what the bounds left of their sum."""
    rows = [(str(feature), value, float(share or 0.0)) for feature, value, share in contributions(score)]
    withheld = sum(share for feature, _, share in rows if feature == WITHHELD)
    added = sum(share for feature, _, share in rows if feature not in _UNBOUNDED)
    # The bounds withhold a part of what was added, never more than all of it.
    factor = (added + withheld) / added if withheld and added else 1.0
    for feature, value, share in rows:
        if feature != WITHHELD or not added:
            yield feature, value, share if feature in _UNBOUNDED else share * factor


def leading_contributions(score: Score, *, most: int) -> list[tuple[str, float | None, float]]:
    """Return what explains a score: the strongest contributions in its direction first, then others."""
    is_spam = score.spam_probability >= 0.5
    rows = sorted(bounded_contributions(score), key=lambda row: ((row[2] > 0) is not is_spam, -abs(row[2])))
    return rows[:most]
