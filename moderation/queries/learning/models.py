"""Releases as the Models page and the API show them: which was live when, labels since, training runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q

from moderation.models import Label, Promotion, Release, Score, TrainingRun
from moderation.models.releases import PromotionKind
from scoring import gate

VERDICTS = [one.replace(" ", "_") for one in gate.Verdict]
_SHOWN = 20
_FEWEST = 20
"""Posts below which no share of them is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedPart:
    """What a release's manifest says of one part of its test data; None where there are too few posts."""

    name: str
    rows: int
    spam: int
    pr_auc: float | None
    precision: float | None
    removed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsSince:
    """Labels that people gave since an instant and that stand."""

    labels: int
    spam: int

    @property
    def not_spam(self) -> int:
        """How many of them are not spam."""
        return self.labels - self.spam


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A figure of a candidate beside the live release's on the same posts, and their difference."""

    part: str
    metric: str
    rows: int
    live: float | None
    candidate: float | None
    low: float | None
    high: float | None


def promotions() -> list[Promotion]:
    """Return the latest promotions and roll-backs, the newest first."""
    return list(Promotion.objects.select_related("actor").order_by("-id")[:_SHOWN])


def releases() -> list[Release]:
    """Return the releases that scored something or were promoted here, the newest first."""
    return list(Release.objects.order_by("-first_used_at", "id")[:_SHOWN])


def made(rows: Sequence[Release]) -> dict[str, TrainingRun]:
    """Return the training run that made each of these releases, by the release's id."""
    found = TrainingRun.objects.filter(candidate__in=[row.pk for row in rows])
    return {run.candidate: run for run in found.only("pk", "candidate", "live").order_by("pk")}


def before(live: str) -> str:
    """Return the id of the release that the live one replaced, empty if it replaced none."""
    # Not by the newest row: after a roll-back that one names the release that was just left.
    found = Promotion.objects.filter(release_id=live, kind=PromotionKind.PROMOTE).order_by("-id").first()
    return found.replaced_id if found else ""


def were_live(ids: Sequence[str]) -> set[str]:
    """Return those of these releases that were live: promoted or replaced, or scoring before any promotion.

    A candidate has a row too, once its promotion failed at the last step.
    """
    named = Promotion.objects.filter(Q(release__in=ids) | Q(replaced__in=ids))
    promoted = {one for pair in named.values_list("release_id", "replaced_id") for one in pair}
    scored = Release.objects.filter(Exists(Score.objects.filter(release=OuterRef("pk"))), pk__in=ids)
    return set(ids) & (promoted | set(scored.values_list("pk", flat=True)))


def runs(*, limit: int = 10) -> list[TrainingRun]:
    """Return the latest training runs, the newest first."""
    rows = TrainingRun.objects.select_related("requested_by", "platform").defer("manifest")
    return list(rows.order_by("-requested_at", "-id")[:limit])


def labels_since(moment: datetime | None) -> LabelsSince:
    """Count the labels that stand; those given since `moment`, or all."""
    rows = Label.objects.filter(retracted_at__isnull=True).order_by()
    if moment is not None:
        rows = rows.filter(labelled_at__gte=moment)
    return LabelsSince(**rows.aggregate(labels=Count("pk"), spam=Count("pk", filter=Q(is_spam=True))))


def tested(manifest: Mapping[str, Any]) -> list[TestedPart]:
    """Return what a manifest says of its test data, part by part."""
    parts = (manifest.get("metrics") or {}).get("test") or {}
    return [_tested(name, found) for name, found in parts.items() if isinstance(found, Mapping)]


def verdict(row: TrainingRun) -> str:
    """Return what the gate says of a run's candidate, one of VERDICTS."""
    return gate.verdict(row.findings).replace(" ", "_")


def compared(report: Mapping[str, Any] | None) -> list[Compared]:
    """Return the figures of a candidate's report on all posts and on each source."""
    slices: Sequence[Mapping[str, Any]] = (report or {}).get("slices") or ()
    return [
        _compared(part, metric, found)
        for part in slices
        if part.get("by") in ("all", "source")
        for metric, found in part.get("metrics", {}).items()
    ]


def _tested(name: str, found: Mapping[str, Any]) -> TestedPart:
    rows, spam = int(found.get("rows", 0)), int(found.get("spam", 0))
    removed = round(float(found.get("removed_share") or 0.0) * rows)
    return TestedPart(
        name=name,
        rows=rows,
        spam=spam,
        pr_auc=found.get("pr_auc") if min(spam, rows - spam) >= _FEWEST else None,
        precision=found.get("precision_of_removed") if removed >= _FEWEST else None,
        removed=removed,
    )


def _compared(part: Mapping[str, Any], metric: str, found: Mapping[str, Any]) -> Compared:
    is_enough = int(part.get("rows", 0)) >= _FEWEST
    low, high = found.get("difference_interval") or (None, None)
    return Compared(
        part=str(part.get("name", "")),
        metric=metric,
        rows=int(part.get("rows", 0)),
        live=found.get("live") if is_enough else None,
        candidate=found.get("candidate") if is_enough else None,
        low=low if is_enough else None,
        high=high if is_enough else None,
    )
