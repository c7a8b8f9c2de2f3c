"""Word contributions and counterfactuals of scores, for the cases that moderators see next.

Never delays scoring.
"""

import math
import time
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import structlog
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Length
from numpy.typing import NDArray

from moderation import enqueue, scorer
from moderation.models import Case, ReviewPage, Score
from moderation.operations.infrastructure import transactions
from moderation.queries import case_access
from moderation.queries.records import stored_records
from scoring import counterfactual, evidence_words, routing
from scoring.content import Unavailable
from scoring.evidence_model import EVIDENCE, read_before
from scoring.explain import word_contributions
from scoring.records import InvalidRecord

log = structlog.get_logger(__name__)

REVIEWED_WITHIN = timedelta(minutes=30)
AHEAD = 10
"""Cases at the head of the queue that are explained before anybody asks."""
AHEAD_CHARACTERS = 400
"""Of their texts in a sweep, every five seconds: some 150 texts to the content model, a quarter of a core."""

_IN_WORK = set[int]()
"""Asked for again at each sweep until it is stored: threads of a worker would do the same work beside."""


def explain(*, score_id: int) -> None:
    """Store, once, each word's share of the content probability, the words by which evidence reads like spam,
    and the smallest change of the route.

    Both ask the release that gave the score, not the one that is live by now.
    """
    if score_id in _IN_WORK:
        return
    _IN_WORK.add(score_id)
    try:
        scores = Score.objects.select_related(stored_records.RELATED)
        score = scores.filter(_lacking(), pk=score_id).first()
        if score is not None:
            _explain(score)
    finally:
        _IN_WORK.discard(score_id)


def _explain(score: Score) -> None:
    try:
        if score.word_contributions is None and score.content_probability is not None:
            score.word_contributions = words_of(score)
            # At once: these cost some hundred calls, and what follows may fail.
            _save(score, "word_contributions")
        if score.evidence_words is None and EVIDENCE in score.sub_models:
            score.evidence_words = evidence_words_of(score)
            _save(score, "evidence_words")
        # A rule decided: no change of the models' input would change the route.
        score.counterfactual = {} if score.rule_id else _counterfactual(score)
    except Unavailable as reason:
        # The next page that opens the case, or the next look-ahead, asks again.
        log.warning("explanation_postponed", score=score.pk, reason=str(reason))
        return
    except (*scorer.UNUSABLE, InvalidRecord) as reason:
        # Permanent: the release or the record belongs to other code.
        log.warning("explanation_impossible", score=score.pk, reason=str(reason))
        score.counterfactual = {"impossible": type(reason).__name__}
    _save(score, "counterfactual")


def ask(cases: Iterable[Case]) -> int:
    """Ask for the explanations that these cases still lack; return how many. They follow the commit."""
    lacking = Score.objects.filter(_lacking(), cases__in=[case.pk for case in cases])
    score_ids = list(lacking.values_list("pk", flat=True))
    for score_id in score_ids:
        enqueue.explanation(score_id=score_id)
    return len(score_ids)


def ahead(*, at: datetime) -> int:
    """Ask for the explanations of the cases that moderators will claim next; return how many.

    None while nobody reviews: whoever comes back has their first case explained when they claim it.

    An explanation asks the content model about some sixty texts, with evidence twice that: for every case on
    arrival more than scoring does. Only cases that moderators will see soon are explained, the first ones
    first, and no more in a sweep than leaves the processor to scoring.
    """
    if not ReviewPage.objects.filter(used_at__gt=at - REVIEWED_WITHIN).exists():
        return 0
    waiting = case_access.waiting().only("pk").order_by("-priority", "id")
    head = [case.pk for escalated in (True, False) for case in waiting.filter(is_escalated=escalated)[:AHEAD]]
    scores = Score.objects.filter(_lacking(), cases__in=head)
    first = scores.order_by("-cases__is_escalated", "-cases__priority", "cases__id")
    asked = characters = 0
    for score_id, length in first.values_list("pk", Length("revision__text")):
        characters += length
        if asked and characters > AHEAD_CHARACTERS:
            break
        enqueue.explanation(score_id=score_id)
        asked += 1
    return asked


def _save(score: Score, field: str) -> None:
    """Save the explanation, unless the post was erased meanwhile: it may quote the text."""
    with transaction.atomic():
        if transactions.lock_posts(revisions=score.revision_id):
            score.save(update_fields=(field,))


def _lacking() -> Q:
    """Return the condition of a score that can be explained and is not: no ban, not degraded."""
    return Q(counterfactual__isnull=True, is_degraded=False, ban__isnull=True)


def words_of(score: Score, *, seconds: float = math.inf) -> list[list[float]]:
    """Return [start, end, share of the content margin] of each word of a score's text, saved or not.

    Raises content.Unavailable, also when its calls took so long together, and what `Scorers.of` raises. What
    a new process compiles between its first calls does not count.
    """
    spent = 0.0
    scorers, release_id = scorer.current(), score.release_id
    content = scorers.of(release_id).content_on(
        score.revision.post.platform.slug, content=scorers.explaining_content_of(release_id)
    )

    def asked(texts: Sequence[str]) -> NDArray[np.float64]:
        nonlocal spent
        if spent > seconds:
            raise Unavailable(f"words take longer than {seconds:g} s")
        began = time.monotonic()
        answers = content.probabilities(texts)
        spent += time.monotonic() - began
        return answers

    words = word_contributions(score.revision.text, probabilities=asked)
    return [[word.start, word.end, word.contribution] for word in words]


def evidence_words_of(score: Score) -> list[tuple[str, float]]:
    """Return [word, share] of the words that make what a post leads to read like spam, saved or not.

    Raises content.Unavailable, InvalidRecord, and what `Scorers.of` raises.
    """
    scorers, release_id = scorer.current(), score.release_id
    return evidence_words.of(
        stored_records.read(score),
        release=scorers.of(release_id).release,
        content=scorers.explaining_content_of(release_id),
    )


def _counterfactual(score: Score) -> dict[str, Any]:
    """Return the smallest change as stored, {} if there is none; the heaviest words are tried first."""
    # Without a word that speaks against it, likely spam would be likelier still.
    is_spam = score.spam_probability >= routing.NO_OPINION
    words = [word for word in score.word_contributions or () if word[2] > 0 or not is_spam]
    words.sort(key=lambda word: -abs(word[2]))
    change = counterfactual.find(
        stored_records.read(score),
        scorer=scorer.current().of(score.release_id),
        content_probability=score.content_probability,
        words=[(int(start), int(end)) for start, end, _ in words],
        read=read_before(score.contributions),
        content=scorer.current().explaining_content_of(score.release_id),
    )
    return {} if change is None else change.to_json()
