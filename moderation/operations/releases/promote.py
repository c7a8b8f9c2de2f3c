"""Promote a release, atomically, and roll back.

Order: gate, files written beside the live ones, content model loaded under its own name, probed, stored posts
scored, then one row is added that makes it live. A failure before that leaves the live release unchanged.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from moderation import scorer
from moderation.models import Promotion, Score, User
from moderation.models.releases import PromotionKind
from moderation.operations.audit import entries
from moderation.operations.infrastructure import advisory_locks
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.operations.outbox import announce
from moderation.operations.releases import store, triton
from moderation.queries.learning import models, shadow_labels
from moderation.queries.records import stored_records
from scoring import features, gate, hosting
from scoring.blocklist import Blocklist
from scoring.gate import Finding
from scoring.pipeline import Scorer
from scoring.release import Release

_audit = entries.writer("release", subject_id="release_id", replaced="replaced_id")
_TRIED_POSTS = 64


class Refusal(Exception):
    """A release was not promoted; the live release is unchanged."""


class NotGoodEnough(Refusal):
    """The gate refused; the message names each check that failed."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = [one for one in findings if not one.passed]
        super().__init__("; ".join(f"{one.question}: {one.answer}" for one in self.findings))


class AlreadyLive(Refusal):
    """Nothing to promote: the release is the live one."""


class LiveHasChanged(Refusal):
    """Another release went live meanwhile: the comparison is no longer valid."""


class NothingBefore(Refusal):
    """No release was live before this one."""


class NeverLive(Refusal):
    """The release was never live: a promotion, with its gate, lets it go live for the first time."""


class FailsOnPosts(Refusal):
    """The release gives no usable scores for stored posts."""


Act = Callable[[Promotion], None]
"""What must be written in the transaction that makes a release live; if it raises, the live one stays."""

REFUSED = (Refusal, *scorer.UNUSABLE, gate.Unreadable, hosting.Refused, hosting.WrongAnswers)
"""All refusals of promote and roll_back; after each the live release is unchanged."""


def promote(
    *,
    folder: Path,
    report: Mapping[str, Any],
    repository: Path,
    actor: User | None,
    at: datetime,
    act: Act | None = None,
) -> Promotion:
    """Promote the release in `folder` if `report`, its comparison with the live one, passes the gate.

    `repository` is the model repository that holds its content model. Raises one of REFUSED.
    """
    release = Release.load(folder)
    live = scorer.release()
    if release.id == live.id:
        raise AlreadyLive(release.id[:12])
    findings = gate.findings(report, candidate=release.id, live=live.id)
    return go_live(release, findings=findings, repository=repository, actor=actor, at=at, act=act)


def go_live(
    release: Release,
    *,
    findings: Sequence[Finding],
    repository: Path,
    actor: User | None,
    at: datetime,
    act: Act | None = None,
) -> Promotion:
    """Stage, try out and promote a release about which all was asked that can be. Raises one of REFUSED."""
    release.check_schema(features.SCHEMA_HASH)
    # Read before the minutes of staging: `_flip` refuses if another release went live since.
    replaces, live = scorer.newest(), scorer.release()
    if release.id == live.id:
        raise AlreadyLive(release.id[:12])
    findings = [*findings, *shadow_labels.findings(candidate=release.id, live=live.id)]
    if not all(finding.passed for finding in findings):
        raise NotGoodEnough(findings)
    triton.stage(release, repository=repository)
    _try_out(scorer.current().of(release.id))
    store.release(release, at=at)
    # The promotion points to it, and a shipped release that scored nothing yet has no row.
    store.release(live, at=at)
    return _flip(
        release.id,
        replaces=replaces,
        kind=PromotionKind.PROMOTE,
        actor=actor,
        at=at,
        findings=findings,
        act=act,
    )


def roll_back(*, to: str = "", actor: User | None, at: datetime) -> Promotion:
    """Make the previous release live again, or the kept one whose id begins with `to`.

    The release that ships with the code counts as one that was live. Raises one of REFUSED.
    """
    live = scorer.newest()
    wanted = store.id_of(to) if to else models.before(live)
    if not wanted:
        raise NothingBefore(f"no release was live before {live[:12]}")
    if wanted == live:
        raise AlreadyLive(wanted[:12])
    # A roll-back asks no gate and no second person, so it must not be a way in for a candidate.
    if not models.were_live([wanted]) and wanted != scorer.shipped().id:
        raise NeverLive(f"{wanted[:12]} was never live; it can be proposed")
    release = scorer.current().of(wanted).release
    triton.load(release)
    # The promotion points to it, and a shipped release that scored nothing yet has no row.
    store.release(release, at=at)
    return _flip(wanted, replaces=live, kind=PromotionKind.ROLLBACK, actor=actor, at=at)


def _try_out(candidate: Scorer) -> None:
    """Score the latest stored posts. Raises FailsOnPosts if one cannot be, or without the content model."""
    stored = Score.objects.filter(ban__isnull=True).select_related(stored_records.RELATED).order_by("-id")
    records = [record for score in stored[:_TRIED_POSTS] if (record := stored_records.readable(score))]
    for result in candidate.score_many(records, blocklist=Blocklist()):
        if result.is_degraded:
            raise FailsOnPosts("its content model does not answer for stored posts")


def _flip(
    release_id: str,
    *,
    replaces: str,
    kind: PromotionKind,
    actor: User | None,
    at: datetime,
    findings: Sequence[Finding] = (),
    act: Act | None = None,
) -> Promotion:
    with transaction.atomic():
        advisory_locks.take(AdvisoryLock.PROMOTION)
        if scorer.newest() != replaces:
            raise LiveHasChanged(f"live is {scorer.newest()[:12]}, not {replaces[:12]}")
        promotion = Promotion.objects.create(
            release_id=release_id,
            replaced_id=replaces,
            kind=kind,
            at=at,
            actor=actor,
            findings=gate.stored(findings),
        )
        _audit(f"release.{kind}", promotion, actor=actor, at=at)
        announce.model_promoted(promotion)
        if act is not None:
            act(promotion)
    # After the commit: had it failed, the release that stays live would have lost its model.
    triton.tidy()
    return promotion
