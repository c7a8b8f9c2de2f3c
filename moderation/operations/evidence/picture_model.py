"""The answer of the live release's image model, among a picture's facts.

Without such a model the facts have no answer: unknown, not zero. Where the model did not answer, the
probability is None beside the model's name, and the sweep asks again for a day.
"""

import base64
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import JSONField, Value

from moderation import image_model, scorer
from moderation.models import Evidence
from moderation.operations.evidence import leads
from moderation.operations.infrastructure import kept_files
from scoring.content import Unavailable
from scoring.image import ImageModel

log = structlog.get_logger(__name__)

PROBABILITY, MODEL = "image_spam_probability", "image_model"
AGAIN_WITHIN = timedelta(hours=24)
_RECENT, _AT_ONCE, _SILENCES = 5_000, 20, 3
"""Rows that the sweep looks at, the newest ones; pictures that it asks about; silences that end it."""


def judged(facts: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the facts of what was read, with the image model's answer if it is a picture."""
    if not facts or "thumbnail" not in facts:
        return dict(facts) if facts else None
    model = _live()
    if model is None:
        return dict(facts)
    return dict(facts) | _answer(model, base64.b64decode(facts["thumbnail"]))


def ask_again(*, at: datetime) -> int:
    """Ask again about pictures of the last day without an answer; return how many have one now.

    Nothing is locked while it answers. After a few silences the rest waits for the next sweep.
    """
    rows = _unanswered(at=at)
    model = _live() if rows else None
    if model is None:
        return 0
    count = silences = 0
    for pk, digest in rows:
        try:
            picture = kept_files.read(digest)
        except OSError as away:  # the store would say the same of the rest
            log.info("picture_not_read", reason=str(away)[:200])
            break
        if picture is None:
            continue
        answer = _answer(model, picture)
        if answer[PROBABILITY] is None:
            silences += 1
        else:
            count += _keep(pk, digest=digest, answer=answer, at=at)
        if silences >= _SILENCES:
            break
    return count


def _keep(pk: int, *, digest: str, answer: Mapping[str, Any], at: datetime) -> bool:
    with transaction.atomic():
        row = Evidence.objects.select_for_update(no_key=True).filter(pk=pk, thumbnail=digest).first()
        if row is None or row.facts is None:  # its posts were erased meanwhile
            return False
        row.facts = {**row.facts, **answer}
        row.save(update_fields=("facts",))
        # Opening looks which of the posts that show it were scored without the answer.
        leads.reopen(row.revisions.values_list("revision", flat=True), at=at)
    return True


def _live() -> ImageModel | None:
    try:
        return image_model.live()
    except scorer.UNUSABLE as reason:  # said by whoever scores, too; evidence is kept without it
        log.warning("image_model_unusable", reason=str(reason))
        return None


def _answer(model: ImageModel, picture: bytes) -> dict[str, Any]:
    try:
        [probability] = model.probabilities([picture]).tolist()
    except Unavailable as away:
        log.info("image_model_away", model=model.model, reason=str(away)[:200])
        probability = None
    return {MODEL: model.model, PROBABILITY: probability}


def _unanswered(*, at: datetime) -> list[tuple[int, str]]:
    newest = Evidence.objects.order_by("-id").values_list("pk", flat=True).first()
    if newest is None:
        return []
    rows = Evidence.objects.filter(
        pk__gt=newest - _RECENT,
        fetched_at__gt=at - AGAIN_WITHIN,
        facts__image_spam_probability=Value(None, JSONField()),
    )
    return list(rows.exclude(thumbnail="").order_by("-id").values_list("pk", "thumbnail")[:_AT_ONCE])
