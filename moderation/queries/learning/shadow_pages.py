"""Shadow runs as the desk and the API show them: the runs, how far one is, and its disagreements."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from moderation.models import Platform, Score, ShadowRun, ShadowScore, TrainingRun
from moderation.models.cases import CaseState
from moderation.queries import keyset
from moderation.queries.keyset import Page
from moderation.queries.learning import proposal_pages

PAGE = 25
DISAGREEMENT_ORDER = ("-distance", "-gap", "id")
DISAGREEMENT_KEY = (int, float, int)


@dataclass(frozen=True, slots=True)
class Progress:
    """How many posts a run scored, differing ones among them; drawn ones that wait, and decided ones."""

    scored: int = 0
    differing: int = 0
    waiting: int = 0
    decided: int = 0


def open_run() -> ShadowRun | None:
    """Return the run that is open, of whatever candidate."""
    return ShadowRun.objects.filter(stopped_at__isnull=True).first()


def of_candidates(candidates: Sequence[str]) -> dict[str, list[ShadowRun]]:
    """Return the runs of each of these candidates, the newest first."""
    found: dict[str, list[ShadowRun]] = {candidate: [] for candidate in candidates}
    for run in ShadowRun.objects.filter(candidate__in=found).defer("draws", "figures").order_by("-id"):
        found[run.candidate].append(run)
    return found


def of_platform(platform: Platform) -> QuerySet[ShadowRun]:
    """Return the runs that a platform may know: of candidates that training on its decisions made, and all of
    them if nobody shares the installation.
    """
    if not proposal_pages.has_others(platform):
        return ShadowRun.objects.all()
    made = TrainingRun.objects.filter(platform=platform, candidate=OuterRef("candidate"))
    return ShadowRun.objects.filter(Exists(made))


def progress_of(runs: Sequence[ShadowRun], *, platform: Platform | None = None) -> dict[int, Progress]:
    """Count the posts of each run, of one platform or of all, in one query."""
    rows = ShadowScore.objects.filter(run__in=runs)
    if platform is not None:
        rows = rows.filter(platform=platform)
    counted = (
        rows.order_by()
        .values_list("run")
        .annotate(
            scored=Count("pk"),
            differing=Count("pk", filter=Q(distance__gt=0)),
            waiting=Count("pk", filter=Q(case__state=CaseState.OPEN)),
            decided=Count("pk", filter=Q(case__state=CaseState.DECIDED)),
        )
    )
    found = {run_id: Progress(*numbers) for run_id, *numbers in counted}
    return {run.pk: found.get(run.pk, Progress()) for run in runs}


def backlog(run: ShadowRun) -> int:
    """Return how many scores of the live release were not looked at yet."""
    return Score.objects.filter(pk__gt=run.reached).count() if run.is_open else 0


def disagreements(run: ShadowRun, *, cursor: str) -> Page[ShadowScore]:
    """Return posts on which both routes differ, the farthest apart first. Raises InvalidCursor."""
    after = keyset.after(cursor, *DISAGREEMENT_KEY)
    return keyset.page(differing(run), order=DISAGREEMENT_ORDER, after=after, limit=PAGE)


def differing(run: ShadowRun) -> QuerySet[ShadowScore]:
    """Return the posts of a run on which both routes differ, with their revisions and cases."""
    rows = ShadowScore.objects.filter(run=run, distance__gt=0).select_related(
        "score__revision__post__platform", "case"
    )
    return rows.defer(*(f"score__{name}" for name in ("record", "features", "contributions")))
