"""What a release says of past posts, and a release that has learnt from the older ones. Nothing goes live."""

import base64
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.conf import settings

from moderation import scorer
from moderation.operations.learning.past_posts import PastPost, PastRecord
from moderation.operations.learning.training_process import TrainingProcess
from scoring.content import ContentScore
from scoring.pipeline import Scorer
from scoring.release import Release

DECIDED_BY = "past moderators"
"""Whom the labels name in their provenance."""

_BATCH, _CHUNK = 64, 500
_LABELS, _CANDIDATE = "labels.jsonl", "candidate"


class NotFitted(Exception):
    """The labels do not allow a head; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a release makes of posts: probabilities, and routes by thresholds and safety bounds alone."""

    probabilities: Sequence[float]
    routes: Sequence[str]


def live() -> Scorer:
    """Return the live release's scorer, whose content model answers after all others in Triton."""
    return scorer.current().shadow_of(scorer.release().id)


def content_scores(
    texts: Sequence[str], *, judge: Scorer, told: Callable[[int], None]
) -> list[ContentScore | None]:
    """Return what the content model says of each text, None of empty ones. Raises content.Unavailable."""
    found: list[ContentScore | None] = [None] * len(texts)
    asked = [place for place, text in enumerate(texts) if text.strip()]
    for start in range(0, len(asked), _BATCH):
        places = asked[start : start + _BATCH]
        for place, score in zip(places, judge.content.scores([texts[one] for one in places]), strict=True):
            found[place] = score
        told(places[-1] + 1)
    return found


def judged(records: Sequence[PastRecord], *, scores: Sequence[ContentScore | None], judge: Scorer) -> Judged:
    """Judge records by a release, given its content model's answers. No rule or audit sample counts."""
    probabilities: list[float] = []
    routes: list[str] = []
    for start in range(0, len(records), _CHUNK):
        part = [one.record for one in records[start : start + _CHUNK]]
        known = zip(part, scores[start : start + _CHUNK], strict=True)
        answers = np.array([judge.heads.read(record, score) for record, score in known])
        of_part, ways = judge.routed(part, content_probabilities=answers)
        probabilities += of_part.tolist()
        routes += [way.value for way in ways]
    return Judged(probabilities=probabilities, routes=routes)


def fitted(
    posts: Sequence[PastPost],
    *,
    records: Sequence[PastRecord],
    scores: Sequence[ContentScore | None],
    is_whole: bool,
    base: Scorer,
    folder: Path,
) -> Scorer:
    """Return `base` with a head, and perhaps thresholds, for the platform of these posts.

    They are of one platform; `is_whole` and `write` as there. Raises NotFitted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    labels = folder / _LABELS
    if not write(labels, posts, records=records, scores=scores, is_whole=is_whole, release=base.release):
        raise NotFitted("no labels among the older posts")
    out = folder / _CANDIDATE
    given = {
        "release": base.release.folder,
        "labels": labels,
        "triton": settings.TRITON_URL,
        "repository": settings.TRITON_REPOSITORY,
        "models": settings.TRITON_MODELS_DIR,
        "out": out,
    }
    command = [sys.executable, "-m", "training", "heads"]
    command += [word for name, value in given.items() for word in (f"--{name}", str(value))]
    with TrainingProcess(command, folder=folder, opening="fitting on past actions") as process:
        while process.exit_code() is None:
            time.sleep(0.2)
        if process.exit_code():
            raise NotFitted((process.log().strip().splitlines() or [""])[-1])
    made = Release.load(out)
    platform = records[0].record.platform
    if why := made.training.get("heads_refused", {}).get(platform):
        raise NotFitted(why)
    return Scorer(release=made, content=base.content)


def write(
    path: Path,
    posts: Sequence[PastPost],
    *,
    records: Sequence[PastRecord],
    scores: Sequence[ContentScore | None],
    is_whole: bool,
    release: Release,
) -> int:
    """Write the labels as training reads them, each for itself alone; return how many.

    `is_whole`: the posts are all of their time, so that their labels are as good as drawn at random.
    """
    written = 0
    with path.open("w", encoding="utf-8") as file:
        for past, made, score in zip(posts, records, scores, strict=True):
            if past.is_spam is None:
                continue
            record = made.record
            line = {
                "id": f"{record.platform}/{record.external_id}/{record.revision}",
                "text": record.text,
                "lang": record.language,
                "label": int(past.is_spam),
                "group": made.group,
                "weight": 1.0,
                "record": record.to_json(),
                "provenance": {
                    "decided_by": DECIDED_BY if past.is_judged else "nobody",
                    "decided_at": past.decided_at.isoformat(),
                    "is_audit_sample": is_whole,
                    "content_score": base64.b64encode(score.to_bytes()).decode() if score else None,
                    "content_model": release.content_model if score else "",
                },
            }
            file.write(f"{json.dumps(line, ensure_ascii=False)}\n")
            written += 1
    return written
