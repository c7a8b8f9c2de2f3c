"""The balance of a platform's labels by class, language and origin, and the progress of its draws."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet

from moderation.models import Label, LabelDraw, Platform, Promotion, Release
from moderation.models.cases import CaseReason, CaseState
from moderation.queries.labels import audit_plan
from moderation.queries.labels.audit_plan import Plan
from scoring.label_balance import ENOUGH_FOR_ROUTES as ENOUGH_FOR_ROUTES  # noqa: PLC0414 - pages name them
from scoring.label_balance import LEAST_OF_EACH as LEAST_OF_EACH  # noqa: PLC0414
from scoring.label_balance import Balance, findings
from scoring.label_balance import Finding as Finding  # noqa: PLC0414
from scoring.label_balance import Weakness as Weakness  # noqa: PLC0414

COMPLAINING = (CaseReason.COMPLAINTS, CaseReason.APPEALED, CaseReason.SECOND)
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawRow:
    """A draw, and the outcomes of its posts."""

    draw: LabelDraw
    decided: int
    waiting: int

    @property
    def gone(self) -> int:
        """Posts that were withdrawn: cancelled, or erased."""
        return self.draw.drawn - self.decided - self.waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """A platform's labels, its present audit share and its latest draws."""

    platform: Platform
    balance: Balance
    findings: Sequence[Finding]
    share: float
    plan: Plan
    drawn_today: int
    draws: Sequence[DrawRow]


def of(*, platform_id: int | None = None) -> Balance:
    """Count the valid labels of one platform or all."""
    labels = _valid()
    if platform_id is not None:
        labels = labels.filter(post__platform=platform_id)
    by_complaint = Q(decision__case__reason__in=COMPLAINING) | Q(decision__replaces__isnull=False)
    counted = labels.aggregate(
        labels=Count("pk"),
        spam=Count("pk", filter=Q(is_spam=True)),
        random=Count("pk", filter=IS_RANDOM),
        by_complaint=Count("pk", filter=by_complaint & ~IS_RANDOM),
    )
    languages = labels.order_by().values_list("decision__revision__language").annotate(count=Count("pk"))
    return Balance(**counted, languages=_by_language(languages))


def best_labelled() -> tuple[int, int]:
    """Return how many labels are spam and not spam where most are of the rarer class; (0, 0) without any."""
    counted = _valid().order_by().values("post__platform").annotate(spam=Count("pk", filter=Q(is_spam=True)))
    rows = counted.annotate(labels=Count("pk")).values_list("spam", "labels")
    return max(((spam, labels - spam) for spam, labels in rows), key=min, default=(0, 0))


def _valid() -> QuerySet[Label]:
    return Label.objects.filter(retracted_at__isnull=True, post__erased_at__isnull=True)


def sampling(*, floor: float, at: datetime) -> list[Sampling]:
    """Return every platform's labels and samples; `floor` is the audit rate of the live release."""
    rows = []
    for platform in Platform.objects.order_by("slug"):
        balance = of(platform_id=platform.pk)
        plan = audit_plan.of(platform=platform, floor=floor, at=at)
        rows.append(
            Sampling(
                platform=platform,
                balance=balance,
                findings=findings(balance) if balance.labels else (),
                share=plan.share(plan.labels.get(None, 0)),
                plan=plan,
                drawn_today=audit_plan.drawn_today(platform_id=platform.pk, at=at),
                draws=draws(platform_id=platform.pk),
            )
        )
    return rows


def gravest() -> list[tuple[str, Finding]]:
    """Return the gravest finding of each platform that has labels, with the platform's name."""
    rows = []
    for platform in Platform.objects.order_by("slug"):
        balance = of(platform_id=platform.pk)
        weak = findings(balance) if balance.labels else ()
        rows += [(platform.name, finding) for finding in weak[:1]]
    return rows


def live_release() -> Release:
    """Return the live release; an empty one before anything scored."""
    promoted = Promotion.objects.select_related("release").order_by("-id").first()
    if promoted:
        return promoted.release
    return Release.objects.order_by("-first_used_at", "id").first() or Release(manifest={})


def audit_rate(release: Release) -> float:
    """Return the audit rate of a release, the default if it names none."""
    return float((release.manifest.get("thresholds") or {}).get("audit_rate", 0.02))


def draws(*, platform_id: int) -> list[DrawRow]:
    """Return the latest draws of a platform with their progress, in one query."""
    rows = LabelDraw.objects.filter(platform=platform_id).order_by("-asked_at", "-id")
    return _with_progress(rows, limit=_SHOWN)


def draw(*, platform_id: int, draw_id: int) -> DrawRow | None:
    """Return one draw of a platform with its progress, None if there is none."""
    rows = _with_progress(LabelDraw.objects.filter(platform=platform_id, pk=draw_id), limit=1)
    return rows[0] if rows else None


IS_RANDOM = (
    Q(decision__score__is_audit_sample=True)
    | Q(decision__score__is_review_sample=True)
    | Q(decision__case__draw__isnull=False)
)


def _with_progress(draws: QuerySet[LabelDraw], *, limit: int) -> list[DrawRow]:
    counted = draws.select_related("asked_by", "platform").annotate(
        decided=Count("cases", filter=Q(cases__state=CaseState.DECIDED)),
        waiting=Count("cases", filter=Q(cases__state=CaseState.OPEN)),
    )
    return [DrawRow(draw=row, decided=row.decided, waiting=row.waiting) for row in counted[:limit]]


def _by_language(rows: Iterable[tuple[str, int]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for language, count in rows:
        counts[language.partition("-")[0].casefold()] += count
    return counts
