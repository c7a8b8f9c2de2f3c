"""Ban domains, hosts and addresses, lift bans, and score again what either touches."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils.translation import gettext as _

from moderation import enqueue
from moderation.models import Ban, Case, Domain, Label, Revision, User
from moderation.models.bans import BanKind
from moderation.models.cases import CaseState
from moderation.models.posts import ScoreState
from moderation.operations import announce, verdict
from moderation.queries import bans
from moderation.queries.bans import NotBannable as NotBannable  # noqa: PLC0414 - a refusal of `impose`
from moderation.queries.bans import Target

REQUEUE_LIMIT = 50_000
"""Posts that one ban scores again at most, the newest first."""


class AlreadyBanned(Exception):
    """A live ban of this target exists."""


class NotBanned(Exception):
    """The ban was lifted before."""


class Requeue(StrEnum):
    """Which of the posts that a ban reaches are scored again."""

    NOTHING = ""
    WAITING = "waiting"
    RECENT = "recent"


def impose(
    *,
    value: str,
    reason: str,
    actor: User,
    at: datetime,
    kind: str = BanKind.DOMAIN,
    expires_at: datetime | None = None,
    requeue: Requeue = Requeue.NOTHING,
) -> Ban:
    """Ban a domain (a host given instead bans its domain), a host, or an address or range.

    Raises NotBannable or AlreadyBanned.
    """
    target = bans.target(kind=kind, value=value)
    try:
        with transaction.atomic():
            _close_expired(target, at=at)
            ban = _create(target, reason=reason, actor=actor, at=at, expires_at=expires_at)
            touched = _score_again(_chosen(target, requeue, at=at), at=at)
            _audit("ban.imposed", ban, actor=actor, at=at, reason=reason, scored_again=touched)
            announce.rule_activated(ban)
    except IntegrityError:
        # The partial unique index is the judge between two leads who press the button at once.
        raise AlreadyBanned(_("%(value)s is banned already.") % {"value": target.value}) from None
    return ban


def lift(*, ban_id: int, actor: User, at: datetime, is_requeued: bool = False) -> int:
    """Lift a live ban; return how many posts that it removed are scored again. Raises NotBanned."""
    with transaction.atomic():
        lifted = Ban.objects.filter(pk=ban_id, lifted_at__isnull=True).update(lifted_at=at, lifted_by=actor)
        if not lifted:
            raise NotBanned(_("This ban was lifted before."))
        ban = Ban.objects.select_related("domain").get(pk=ban_id)
        touched = _score_again(bans.posts_removed_by(ban), at=at) if is_requeued else 0
        _audit("ban.lifted", ban, actor=actor, at=at, scored_again=touched)
    return touched


def _create(target: Target, *, reason: str, actor: User, at: datetime, expires_at: datetime | None) -> Ban:
    domain = None
    if target.domain:
        domain = Domain.objects.get_or_create(name=target.domain, defaults={"first_seen_at": at})[0]
    return Ban.objects.create(
        kind=target.kind,
        value=target.value,
        domain=domain,
        first_address=target.first_address,
        last_address=target.last_address,
        reason=reason,
        imposed_by=actor,
        imposed_at=at,
        expires_at=expires_at,
    )


def _chosen(target: Target, requeue: Requeue, *, at: datetime) -> QuerySet[Revision]:
    """Return the reached posts to score again; a human's word on a post stays as it is."""
    reached = bans.reached(target)
    if requeue == Requeue.WAITING:
        return reached.filter(Exists(Case.objects.filter(post=OuterRef("post"), state=CaseState.OPEN)))
    if requeue == Requeue.RECENT:
        judged = Label.objects.filter(post=OuterRef("post"), retracted_at__isnull=True)
        return reached.filter(received_at__gt=at - bans.RECENT).exclude(Exists(judged))
    return reached.none()


def _score_again(revisions: QuerySet[Revision], *, at: datetime) -> int:
    """Open the revisions for scoring under the bans that hold now; the sweep finds what the broker loses."""
    ids = list(revisions.order_by("-pk").values_list("pk", flat=True)[:REQUEUE_LIMIT])
    scored = Revision.objects.filter(pk__in=ids, score_state__in=(ScoreState.SCORED, ScoreState.DEGRADED))
    # In the order in which scoring locks them, so that neither waits for the other in a circle.
    locked = [revision.pk for revision in scored.select_for_update().only("pk").order_by("id")]
    Revision.objects.filter(pk__in=locked).update(
        score_state=ScoreState.PENDING, generation=F("generation") + 1, attempts=0, enqueued_at=at
    )
    enqueue.scoring(revision_ids=locked)
    return len(locked)


def _close_expired(target: Target, *, at: datetime) -> None:
    """An expired ban still holds the place of the live one; close it by its own end."""
    Ban.objects.filter(
        kind=target.kind, value=target.value, lifted_at__isnull=True, expires_at__lte=at
    ).update(lifted_at=F("expires_at"))


def _audit(action: str, ban: Ban, *, actor: User, at: datetime, **details: object) -> None:
    verdict.audit(
        action=action,
        subject_kind="ban",
        subject_id=ban.pk,
        actor=actor,
        at=at,
        kind=ban.kind,
        value=ban.value,
        **details,
    )
