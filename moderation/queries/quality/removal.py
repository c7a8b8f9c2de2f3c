"""Whether the filter's removals on a platform have proven right. No database but for campaigns.

Each label of a removal is a trial of the precision: while the filter may not remove alone a person sees every
post that it would have removed, later those that were drawn whatever their score. Either way it is one at
random of the removals of its time, so that labels are not weighed.
"""

from bisect import bisect_left
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from moderation.models import AuditEntry, CampaignMember, Platform
from moderation.queries.quality import repeated_looks
from moderation.queries.quality.labelled_posts import LabelledPosts
from scoring.routing import REMOVE_PRECISION

STOPPED = "platform.removal_unproven"
"""The act in the audit log."""

_MOST_MISSING = 1 << 20
_MOST_PLATFORMS = 50


@dataclass(frozen=True, slots=True)
class Trials:
    """Removals that people found right and wrong."""

    right: int
    wrong: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the precision, valid however often one looks."""
        return repeated_looks.interval(part=self.right, rest=self.wrong, expected=REMOVE_PRECISION)

    @property
    def is_proven(self) -> bool:
        """Whether the precision is certainly as promised."""
        return self.interval[0] >= REMOVE_PRECISION

    @property
    def judged(self) -> int:
        """How many were judged."""
        return self.right + self.wrong

    @property
    def is_refuted(self) -> bool:
        """Whether the precision is certainly below the promise; how far below is not guessed."""
        return repeated_looks.interval(part=self.right, rest=self.wrong, expected=0.5)[1] < REMOVE_PRECISION

    @property
    def missing(self) -> int:
        """How many more it takes until it is proven if all are right: the fewest."""
        return bisect_left(
            range(_MOST_MISSING), x=True, key=lambda more: Trials(self.right + more, self.wrong).is_proven
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a platform's removals have proven right; `stopped_at` if that ended within the last week."""

    platform: Platform
    trials: Trials
    stopped_at: datetime | None = None
    promise: float = REMOVE_PRECISION


def standing(platform: Platform) -> Standing:
    """Return what the sweep counted last."""
    return Standing(platform, Trials(platform.removal_right, platform.removal_wrong))


def standings(*, at: datetime) -> list[Standing]:
    """Return the standing of each platform, of the first fifty."""
    stopped = AuditEntry.objects.filter(action=STOPPED, at__gt=at - timedelta(days=7)).order_by("at", "id")
    moments = dict(stopped.values_list("subject_id", "at"))
    return [
        replace(standing(row), stopped_at=None if row.removal_proven_at else moments.get(str(row.pk)))
        for row in Platform.objects.order_by("slug")[:_MOST_PLATFORMS]
    ]


def trials(posts: LabelledPosts, *, since: datetime) -> Trials:
    """Count removals first scored since then; posts of one campaign are one, right if all of them are."""
    part = posts.where(posts.is_removed & posts.is_uniform & (posts.scored_at >= since).astype(bool))
    members = CampaignMember.objects.filter(post__in=part.post_id.tolist())
    campaigns = dict(members.order_by().values_list("post", "campaign"))
    outcomes: dict[tuple[str, int], bool] = {}
    for post, is_spam in zip(part.post_id.tolist(), part.is_spam.tolist(), strict=True):
        trial = ("campaign", campaigns[post]) if post in campaigns else ("post", post)
        outcomes[trial] = outcomes.get(trial, True) and is_spam
    right = sum(outcomes.values())
    return Trials(right, len(outcomes) - right)
