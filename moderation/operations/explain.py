"""Explain scores in words, for the cases that a moderator is about to see: never in the way of scoring."""

from __future__ import annotations

from collections.abc import Iterable

import structlog

from moderation import enqueue, scorer
from moderation.models import Case, Score
from moderation.models.cases import CaseState
from scoring.content import Unavailable
from scoring.explain import word_contributions

log = structlog.get_logger(__name__)

AHEAD = 10
"""Cases at the head of the queue that are explained before anybody asks."""


def explain(*, score_id: int) -> None:
    """Attribute the content probability to the words of the text and store it with the score, once."""
    score = (
        Score.objects.select_related("revision").filter(pk=score_id, word_contributions__isnull=True).first()
    )
    if score is None or score.content_probability is None or not score.revision.text.strip():
        return
    try:
        words = word_contributions(score.revision.text, probabilities=scorer.content().probabilities)
    except Unavailable as reason:
        # Whoever opens the case, or the next look ahead, asks again.
        log.warning("explanation_postponed", score=score_id, reason=str(reason))
        return
    score.word_contributions = [[word.start, word.end, word.contribution] for word in words]
    score.save(update_fields=("word_contributions",))


def ask(cases: Iterable[Case]) -> int:
    """Ask for the explanations that these cases still lack; return how many. They follow the commit."""
    lacking = Score.objects.filter(
        cases__in=[case.pk for case in cases],
        word_contributions__isnull=True,
        content_probability__isnull=False,
    )
    score_ids = list(lacking.values_list("pk", flat=True))
    for score_id in score_ids:
        enqueue.explanation(score_id=score_id)
    return len(score_ids)


def ahead() -> int:
    """Ask for the explanations of the cases that moderators will claim next; return how many.

    An explanation costs some hundred calls to the content model. Explaining every case as it comes in would
    take more of the model than scoring does, so the work follows the moderators, not the traffic.
    """
    open_cases = Case.objects.filter(state=CaseState.OPEN).only("pk").order_by("-priority", "id")
    return sum(ask(open_cases.filter(is_escalated=is_escalated)[:AHEAD]) for is_escalated in (True, False))
