"""Try a policy in words on posts that people judged, and on the newest ones."""

import math
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet
from django.db.models.functions import Left

from moderation import topic_model
from moderation.models import Label, Policy, Post, Revision
from moderation.operations.policies.topics import NotAnswered as NotAnswered  # noqa: PLC0414 - a refusal of `run`
from scoring.triton_calls import MAX_CHARACTERS, Unavailable

JUDGED, NEWEST = 400, 200
"""The most posts of a trial: those that people judged last, and those that came last."""
BUDGET_SECONDS = 8.0
"""A lead waits, and holds a web thread: what is not read by then is left out, the oldest first."""
_CHUNK = 16


def run(*, policy_id: int, at: datetime) -> Policy:
    """Ask the topics model about the posts, within the budget, and keep what it says; no words of posts.

    Raises NotAnswered if it does not answer at all.
    """
    policy = Policy.objects.get(pk=policy_id)
    ends = time.monotonic() + BUDGET_SECONDS
    labels = Label.objects.filter(retracted_at__isnull=True).order_by("-pk").values("post")[:JUDGED]
    newest = Post.objects.filter(erased_at__isnull=True).order_by("-pk").values("pk")[:NEWEST]
    # A third of the time at least is for the newest: they say what the policy would cost.
    trial = {
        "judged": _asked(_texts(labels), policy.words, ends=ends - BUDGET_SECONDS / 3),
        "newest": _asked(_texts(newest), policy.words, ends=ends),
    }
    Policy.objects.filter(pk=policy_id).update(trial=trial, tried_at=at)
    policy.trial, policy.tried_at = trial, at
    return policy


def _texts(posts: QuerySet[Any, Any]) -> list[tuple[int, str]]:
    latest = Revision.objects.filter(
        post__in=posts, number=F("post__latest_revision"), post__erased_at__isnull=True
    )
    rows = latest.exclude(text="").order_by("-post_id")
    return list(rows.values_list("post", Left("text", MAX_CHARACTERS)))


def _asked(texts: Sequence[tuple[int, str]], words: str, *, ends: float) -> list[tuple[int, float]]:
    results: list[tuple[int, float]] = []
    # The first request after a start of Triton waits until the model is loaded.
    model = topic_model.patient(seconds=BUDGET_SECONDS)
    for start in range(0, len(texts), _CHUNK):
        if start and time.monotonic() > ends:
            break
        chunk = texts[start : start + _CHUNK]
        try:
            answers = model.probabilities([text for _, text in chunk], topics=[words])
        except Unavailable as reason:
            if results:
                break
            raise NotAnswered(str(reason)) from reason
        pairs = zip(chunk, answers[:, 0].tolist(), strict=True)
        results += [
            (post, round(probability, 4)) for (post, _), probability in pairs if not math.isnan(probability)
        ]
    return results
