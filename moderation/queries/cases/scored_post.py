"""A score with its post, for explanations, whether or not there is a case."""

from __future__ import annotations

from dataclasses import dataclass

from moderation.models import Score
from scoring import unread_script
from scoring.records import InvalidRecord, PostRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredPost:
    """A score, loaded with its revision, the post and its platform, and its release.

    `record` is None if it cannot be read any more; `case_id` is None if the score led to no case.
    """

    score: Score
    record: PostRecord | None
    case_id: int | None

    @property
    def unread_script(self) -> str | None:
        """Return the script, as Unicode names it, that keeps the models which scored the post from reading
        it.
        """
        revision = self.score.revision
        return unread_script.in_release(
            revision.text, platform=revision.post.platform.slug, manifest=self.score.release.manifest
        )


def record_of(score: Score) -> PostRecord | None:
    """Return the frozen record of the score, None if it was erased or has another schema."""
    try:
        return PostRecord.from_json(score.record)
    except InvalidRecord:
        return None
