"""Labels that an export holds; `label_lines` reads them with everything a training run needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from moderation.models import Case, Decision, Label
from moderation.models.cases import CaseState
from moderation.queries.decisions.feeds import Position
from scoring.splits import Split

SPLITS = tuple(split.value for split in Split)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFilter:
    """Labels given at or after `since` and before `until`, None leaving a side open, of one platform or all.

    Never retracted ones, and none of erased posts. `splits` are those that an export holds, empty for all.
    `after` selects changes since an earlier export, by platform, including retractions.
    """

    since: datetime | None = None
    until: datetime | None = None
    platform_id: int | None = None
    splits: tuple[str, ...] = ()
    after: Mapping[str, Position] | None = None


def count(*, wanted: LabelFilter) -> int:
    """Return how many labels an export with this filter would hold, all splits together."""
    return standing(wanted=wanted).count()


def undecided(*, wanted: LabelFilter, at: datetime) -> int:
    """Return how many posts of the review route wait without a logged chance of a draw."""
    cases = Case.objects.filter(
        state=CaseState.OPEN,
        opened_at__lt=wanted.until or at,
        score__audit_probability__gte=1.0,
        score__review_probability__isnull=True,
    )
    if wanted.platform_id is not None:
        cases = cases.filter(platform=wanted.platform_id)
    return cases.count()


def name_of(decision: Decision) -> str:
    """Return the id of a label: platform, post and revision."""
    post = decision.post
    return f"{post.platform.slug}/{post.external_id}/{decision.revision.number}"


def standing(*, wanted: LabelFilter) -> QuerySet[Label]:
    """Return valid labels, without those of erased posts."""
    labels = Label.objects.filter(retracted_at__isnull=True, post__erased_at__isnull=True)
    asked = {
        "labelled_at__gte": wanted.since,
        "labelled_at__lt": wanted.until,
        "post__platform": wanted.platform_id,
    }
    return labels.filter(**{name: value for name, value in asked.items() if value is not None})
