"""Draft, activate and lift rules about links, senders, texts and pictures; rescore what they match."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from moderation.models import Author, Case, Domain, Label, ListedPicture, Revision, Rule, User, desk_settings
from moderation.models.cases import CaseState
from moderation.models.rules import PICTURES, WORDS, RuleEffect, RuleKind
from moderation.operations import rescore
from moderation.operations.audit import entries
from moderation.operations.outbox import announce
from moderation.operations.refusals import AlreadyActive, NoEnd, NotInForce, Refusal, SecondPersonNeeded
from moderation.operations.similarity import listed_pictures
from moderation.queries.accounts.users import is_in_hands_of
from moderation.queries.rules import rule_pages, targets
from moderation.queries.rules.rule_pages import RuleState
from moderation.queries.rules.targets import NotATarget as NotATarget  # noqa: PLC0414 - a refusal of `impose`
from moderation.queries.rules.targets import Target

_audit = entries.writer("rule", effect="effect", kind="kind")
REQUEUE_LIMIT = 50_000
"""Maximum number of posts rescored for one rule, the newest first."""

LONGEST_HOLD = timedelta(days=30)
"""A hold costs moderators' time for every post; a lasting problem needs a ban or another release."""

WORDS_KEPT = timedelta(days=30)
"""How long the phrase, number, wallet, handle or pictures of a rule that ended can still be read."""


class AlreadyRuled(Refusal):
    """A rule of this target is in force."""


class AlreadyProposed(Refusal):
    """A draft about this target waits for a lead."""


class NotAllowable(Exception):
    """What a text names is never allowed: anybody could write it to pass."""


class Requeue(StrEnum):
    """Which of the posts that a rule matches are rescored."""

    NOTHING = ""
    WAITING = "waiting"
    RECENT = "recent"


def draft(
    *,
    value: str,
    reason: str,
    actor: User,
    at: datetime,
    effect: str = RuleEffect.BAN,
    kind: str = RuleKind.DOMAIN,
    expires_at: datetime | None = None,
    pictures: Sequence[ListedPicture] = (),
) -> Rule:
    """Draft a rule about a domain (or a host's domain), a host, an address or range, an author, what texts
    name, a picture, or with `pictures` a list of them that is named `value`.

    It does nothing until `activate`. Raises NotATarget, NotAllowable or NoEnd.
    """
    if pictures:
        target = Target(kind=RuleKind.PICTURES, value=value, label=value)
    else:
        target = targets.target(kind=kind, value=value)
    if target.is_identifier and effect == RuleEffect.ALLOW:
        raise NotAllowable(
            _("Texts and pictures can be banned or held, not allowed: anybody could copy them.")
        )
    _check_end(effect, expires_at=expires_at, at=at)
    with transaction.atomic():
        _refuse_erased(target)
        rule = _create(target, effect=effect, reason=reason, actor=actor, at=at, expires_at=expires_at)
        if rule.kind in PICTURES:
            listed_pictures.add(rule, pictures or [ListedPicture(hash=rule.value)])
        count = {"pictures": len(pictures)} if pictures else {}
        _audit("rule.drafted", rule, actor=actor, at=at, **_words(rule), **count)
    return rule


def propose(
    *,
    value: str,
    reason: str,
    actor: User,
    at: datetime,
    effect: str = RuleEffect.BAN,
    kind: str = RuleKind.DOMAIN,
    expires_at: datetime | None = None,
) -> Rule:
    """Draft a rule for a lead to activate or drop.

    Raises NotATarget, NotAllowable, NoEnd, AlreadyRuled or AlreadyProposed.
    """
    target = targets.target(kind=kind, value=value)
    if rule_pages.first_live(rule_pages.about(target), at=at):
        raise AlreadyRuled(_("A rule for this is already active."))
    if rule_pages.drafts_about(target, at=at):
        raise AlreadyProposed(_("A rule for this has already been proposed."))
    return draft(
        value=value, reason=reason, actor=actor, at=at, effect=effect, kind=kind, expires_at=expires_at
    )


def activate(*, rule_id: int, actor: User, at: datetime, requeue: Requeue = Requeue.NOTHING) -> Rule:
    """Activate a draft. Raises AlreadyActive, NotInForce, AlreadyRuled or SecondPersonNeeded."""
    try:
        with transaction.atomic():
            rule = Rule.objects.select_for_update().get(pk=rule_id)
            if rule_pages.state_of(rule, at=at) == RuleState.ENDED:
                raise NotInForce(_("This rule has ended."))
            if not rule.is_draft:
                raise AlreadyActive(_("This rule is already active."))
            target = targets.target_of(rule)
            is_own = is_in_hands_of(rule.imposed_by_id, account=actor, since=rule.imposed_at)
            if is_own and needs_second_person(target, effect=rule.effect, at=at):
                raise SecondPersonNeeded(
                    _("This ban would hit many harmless posts. A second person has to activate it.")
                )
            _close_expired(target, at=at)
            rule.activated_at = at
            rule.save(update_fields=("activated_at",))
            count = _score_again(_chosen(target, requeue, at=at), at=at)
            _audit("rule.activated", rule, actor=actor, at=at, scored_again=count, **_words(rule))
            announce.rule_activated(rule, at=at)
    except IntegrityError:
        # The partial unique index decides between two leads who activate at the same time.
        raise AlreadyRuled(_("A rule for this is already active.")) from None
    return rule


def impose(
    *,
    value: str,
    reason: str,
    actor: User,
    at: datetime,
    effect: str = RuleEffect.BAN,
    kind: str = RuleKind.DOMAIN,
    expires_at: datetime | None = None,
    requeue: Requeue = Requeue.NOTHING,
) -> Rule:
    """Draft a rule and activate it in one step, after its dry run was shown.

    One that needs a second person stays a draft. Raises what `propose` and `activate` raise.
    """
    values: Any = {"value": value, "reason": reason, "actor": actor, "effect": effect, "kind": kind}
    if needs_second_person(targets.target(kind=kind, value=value), effect=effect, at=at):
        return propose(**values, expires_at=expires_at, at=at)
    with transaction.atomic():
        drafted = draft(**values, expires_at=expires_at, at=at)
        return activate(rule_id=drafted.pk, actor=actor, at=at, requeue=requeue)


def needs_second_person(target: Target, *, effect: str, at: datetime) -> bool:
    """Tell whether a rule is a ban that matches more harmless posts than one person may ban."""
    if effect != RuleEffect.BAN:
        return False
    return targets.dry_run(wanted=target, at=at).figures.not_spam > desk_settings.current().ban_posts


def lift(*, rule_id: int, actor: User | None, at: datetime, is_requeued: bool = False) -> int:
    """End a rule, or delete a draft; return how many posts are rescored. Raises NotInForce."""
    with transaction.atomic():
        # Conditional: of two people who lift at once one changes the row, and its posts are rescored once.
        lifted = Rule.objects.filter(pk=rule_id, lifted_at__isnull=True).update(lifted_at=at, lifted_by=actor)
        if not lifted:
            raise NotInForce(_("This rule was already lifted."))
        rule = Rule.objects.get(pk=rule_id)
        count = _score_again(rule_pages.posts_decided_by(rule), at=at) if is_requeued else 0
        _audit("rule.lifted", rule, actor=actor, at=at, scored_again=count, **_value(rule))
    return count


def forget_author(*, author_id: int, at: datetime) -> None:
    """End the rules of an erased author and wipe their reasons, which may name them."""
    rules = Rule.objects.filter(author=author_id)
    rules.update(reason="")
    for rule_id in rules.filter(lifted_at__isnull=True).values_list("pk", flat=True):
        lift(rule_id=rule_id, actor=None, at=at)


def forget_ended(*, at: datetime) -> None:
    """Wipe what ended rules say of texts and pictures, which may name or show people."""
    every = Rule.objects.filter(rule_pages.ended(at=at - WORDS_KEPT))
    ListedPicture.objects.filter(rule__in=every).delete()
    ended = every.filter(kind__in=WORDS).exclude(value="")
    # Closed, too, where it expired: values of rules that are not lifted are unique.
    ended.update(value="", anchor="", reason="", lifted_at=Coalesce("lifted_at", "expires_at"))


def _refuse_erased(target: Target) -> None:
    """Lock the author against erasure: the reason of a rule may name them."""
    if target.author_id is not None:
        rows = Author.objects.select_for_update(no_key=True).filter(pk=target.author_id)
        if not rows.filter(erased_at__isnull=True).exists():
            raise NotATarget(_("Nobody here has this id."))


def _check_end(effect: str, *, expires_at: datetime | None, at: datetime) -> None:
    if effect != RuleEffect.BAN and expires_at is None:
        raise NoEnd(_("Only a ban can be permanent."))
    if effect == RuleEffect.HOLD and expires_at is not None and expires_at - at > LONGEST_HOLD:
        raise NoEnd(_("A hold can last at most %(days)d days.") % {"days": LONGEST_HOLD.days})


def _create(
    target: Target, *, effect: str, reason: str, actor: User, at: datetime, expires_at: datetime | None
) -> Rule:
    domain = None
    if target.domain:
        domain = Domain.objects.get_or_create(name=target.domain, defaults={"first_seen_at": at})[0]
    return Rule.objects.create(
        effect=effect,
        kind=target.kind,
        value=target.value,
        anchor=target.anchor,
        domain=domain,
        author_id=target.author_id,
        first_address=target.first_address,
        last_address=target.last_address,
        reason=reason,
        imposed_by=actor,
        imposed_at=at,
        activated_at=None,
        expires_at=expires_at,
    )


def _chosen(target: Target, requeue: Requeue, *, at: datetime) -> QuerySet[Revision]:
    """Return the matched posts to rescore, without those that a human decided."""
    revisions = targets.reached(target)
    if requeue == Requeue.WAITING:
        return revisions.filter(Exists(Case.objects.filter(post=OuterRef("post"), state=CaseState.OPEN)))
    if requeue == Requeue.RECENT:
        labels = Label.objects.filter(post=OuterRef("post"), retracted_at__isnull=True)
        return revisions.filter(received_at__gt=at - targets.RECENT).exclude(Exists(labels))
    return revisions.none()


def _score_again(revisions: QuerySet[Revision], *, at: datetime) -> int:
    """Set the revisions to pending; the sweep finds those whose message the broker loses."""
    newest = revisions.order_by("-pk").values_list("pk", flat=True)[:REQUEUE_LIMIT]
    return len(rescore.again(newest, at=at, states=rescore.SCORED))


def _close_expired(target: Target, *, at: datetime) -> None:
    """Close an expired rule, which still occupies the unique index of live rules, at its own end."""
    Rule.objects.filter(
        kind=target.kind, value=target.value, lifted_at__isnull=True, expires_at__lte=at
    ).update(lifted_at=F("expires_at"))


def _words(rule: Rule) -> dict[str, str]:
    """Return value and reason for the audit log, without what may name a person: it cannot be erased."""
    is_personal = rule.kind in (*WORDS, RuleKind.AUTHOR)
    return _value(rule) | ({} if is_personal else {"reason": rule.reason})


def _value(rule: Rule) -> dict[str, str]:
    """Return the value for the audit log: of an author our id, of what may name a person nothing."""
    return {} if rule.kind in WORDS else {"value": rule.value}
