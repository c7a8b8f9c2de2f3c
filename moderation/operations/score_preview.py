"""Score a post that is not kept: what the models and rules say of it at this moment."""

import time
import uuid
from dataclasses import dataclass, replace
from datetime import datetime

import structlog
from django.db import transaction

from moderation import scorer
from moderation.models import Platform, Release, Revision, Score
from moderation.operations import explanations
from moderation.operations.policies import matches
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingPost
from moderation.operations.scoring.score import unsaved, withheld
from moderation.operations.similarity import text_groups
from moderation.queries.records import records
from moderation.queries.rules import rules_in_force
from scoring.blocklist import Blocklist
from scoring.content import Unavailable
from scoring.pipeline import Scorer
from scoring.records import PostRecord

log = structlog.get_logger(__name__)

_MARKING_SECONDS = 8.0
"""Somebody waits, and holds a web thread: on a busy server words stay unmarked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """An unsaved score with its unsaved revision. `took_ms` is scoring's share: no explanation is in it."""

    score: Score
    record: PostRecord
    took_ms: int


def run(*, platform: Platform, post: IncomingPost, live: Scorer, at: datetime) -> Preview:
    """Score a post as if it had arrived now under an id of its own, and keep nothing.

    The record is made as for every post, from rows that are rolled back: its author, domains and similar
    texts have their histories. No audit sample is drawn.
    `live` is the live release's scorer, whichever one waits as long as the caller can.
    """
    began = time.monotonic()
    unknown = replace(post, external_id=f"preview-{uuid.uuid4().hex}", revision=1, parent=None)
    revision, record, rules = _frozen(platform=platform, post=unknown, at=at)
    # Only now: while the models compute, no row is locked that ingest may wait for.
    results = live.score_many(
        [record],
        blocklist=rules,
        held=lambda is_degraded: matches.find(revisions=[revision], at=at, is_degraded=is_degraded).held,
    )
    [result] = withheld(results, revisions=[revision])
    release = Release.objects.filter(pk=live.release.id).first()
    row = unsaved(
        revision=revision,
        record=record,
        result=result,
        release=release or Release(pk=live.release.id, manifest=live.release.manifest, first_used_at=at),
        at=at,
    )
    return Preview(score=row, record=record, took_ms=round(1000 * (time.monotonic() - began)))


def mark_words(preview: Preview) -> None:
    """Set each word's share of the content margin, unsaved; none if the content model does not answer."""
    score = preview.score
    if score.content_probability is None:
        return
    try:
        score.word_contributions = explanations.words_of(score, seconds=_MARKING_SECONDS)
    except (Unavailable, *scorer.UNUSABLE) as reason:
        log.info("preview_not_explained", reason=type(reason).__name__)


def _frozen(
    *, platform: Platform, post: IncomingPost, at: datetime
) -> tuple[Revision, PostRecord, Blocklist]:
    """Store the post, read what its score is computed from, and roll all of it back."""
    with transaction.atomic():
        ingest.store(platform=platform, posts=[post], at=at)
        revisions = Revision.objects.select_related("post__platform", "post__author", "scoring", "grouped")
        revision = revisions.get(post__platform=platform, post__external_id=post.external_id)
        text_groups.backfill(revisions=[revision])
        record = records.record_at(revision=revision, at=at)
        rules = rules_in_force.for_revisions(revisions=[revision], records=[record], at=at)
        transaction.set_rollback(True)
    return revision, record, rules
