"""Labels with everything a training run needs; `label_lines` writes them as lines of a file."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from moderation.models import Case, Decision, Label, Score, ShadowScore
from moderation.models.cases import CaseState
from moderation.queries import keyset, latest_scores
from moderation.queries.decisions.feeds import Position
from moderation.queries.keyset import Key, Page
from moderation.queries.labels import label_json
from moderation.queries.labels.label_json import LabelValues
from scoring.splits import Split

_RELATED = (
    "decision__decided_by",
    "decision__score",
    "decision__revision",
    "decision__case",
    "post__platform",
)
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
    return _labels(wanted).count()


def page(*, wanted: LabelFilter, after: Key | None, limit: int) -> Page[dict[str, Any]]:
    """Return labels, the oldest first."""
    labels = _labels(wanted).select_related(*_RELATED)
    return keyset.page(labels, order=("labelled_at", "pk"), after=after, limit=limit).of(
        lambda rows: map(_row, rows)
    )


def live(*, decision_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return the valid labels of these decisions, without those of erased posts."""
    labels = _labels(LabelFilter()).filter(decision__in=decision_ids).select_related(*_RELATED)
    return {label.decision_id: _row(label) for label in labels}


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


def _labels(wanted: LabelFilter) -> QuerySet[Label]:
    standing = Label.objects.filter(retracted_at__isnull=True, post__erased_at__isnull=True)
    drawn = ShadowScore.objects.filter(case=OuterRef("decision__case"))
    labels = standing.annotate(is_disagreement=Exists(drawn)).order_by("labelled_at", "id")
    asked = {
        "labelled_at__gte": wanted.since,
        "labelled_at__lt": wanted.until,
        "post__platform": wanted.platform_id,
    }
    return labels.filter(**{name: value for name, value in asked.items() if value is not None})


def _row(label: Label) -> dict[str, Any]:
    decision, score, revision = label.decision, label.decision.score, label.decision.revision
    case = decision.case
    is_drawn = case is not None and case.draw_id is not None
    is_random = is_drawn or score.is_audit_sample or score.is_review_sample
    values = LabelValues(
        name=f"{label.post.platform.slug}/{label.post.external_id}/{revision.number}",
        text=revision.text,
        language=revision.language,
        is_spam=label.is_spam,
        group=str(label.similarity_group),
        schema_hash=score.schema_hash,
        decided_by=decision.decided_by.username if decision.decided_by else None,
        decided_at=decision.decided_at,
        reason=decision.reason,
        release=score.release_id,
        spam_probability=score.spam_probability,
        is_degraded=score.is_degraded,
        is_random=is_random,
        audit_probability=_chance(case, score),
        decision_id=decision.pk,
        sample=_sample(label, is_drawn=is_drawn),
        lane=case.lane if case is not None else "",
        content_score=b64encode(score.content_score).decode() if score.content_score else None,
        content_model=score.content_model,
        subject=label.post.subject,
    )
    features = {name: value for name, value, _ in latest_scores.contributions(score)}
    return label_json.row(values, features=features, record=score.record)


def _chance(case: Case | None, score: Score) -> float:
    """Return the chance by which the label came about: that of the draw, if one was made."""
    of_case = case.audit_probability if case is not None else None
    of_draw = of_case if case is not None and case.draw_id is not None else None
    chances = (of_draw, score.review_probability, of_case)
    return next((chance for chance in chances if chance is not None), score.audit_probability)


def _sample(label: Label, *, is_drawn: bool) -> str:
    score = label.decision.score
    if is_drawn:
        return "draw"
    if score.is_audit_sample:
        return "audit"
    if score.is_review_sample:
        return "review"
    return "disagreement" if getattr(label, "is_disagreement", False) else ""
