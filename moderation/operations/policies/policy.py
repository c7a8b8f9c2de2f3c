"""Draft, activate and end policies in words."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.utils.translation import gettext as _

from moderation.models import Case, Policy, PolicyMatch, Reason, Revision, User
from moderation.models.cases import CaseState
from moderation.models.policies import PolicyEffect
from moderation.operations import rescore
from moderation.operations.audit import entries
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock, take
from moderation.operations.refusals import AlreadyActive, NoEnd, NotInForce, Refusal, SecondPersonNeeded
from moderation.queries.accounts.users import is_in_hands_of
from moderation.queries.policies import policy_pages
from moderation.queries.policies.policy_pages import PolicyState
from scoring.topics import has_words

MOST_ACTIVE = 50
"""Each costs every post a little: a comparison with embeddings, a run of the model with inference."""
MOST_DRAFTS = 200
LONGEST_HOLD = timedelta(days=30)
"""A hold costs moderators' time for every post, as that of a rule."""
LONGEST_TAG = timedelta(days=365)
RESCORE_LIMIT = 5_000
"""Posts of the queue that are scored again for one policy, the newest first."""
TRIAL_LASTS = timedelta(days=1)
"""A threshold is chosen by what a policy would match now, not by what came months ago."""
_SHORTEST_WORDS = 3

_audit = entries.writer("policy", effect="effect")


class NoWords(Exception):
    """A policy needs a name, and words that say what a text is about."""


class NotTried(Refusal):
    """A draft is tried on decided posts before it begins."""


class TooMany(Refusal):
    """The limit of active policies or of drafts is reached."""


def draft(*, name: str, words: str, reason: str = "", counts: str = "", actor: User, at: datetime) -> Policy:
    """Draft a policy; it does nothing until `activate`. Raises NoWords or TooMany."""
    name, words = " ".join(name.split()), " ".join(words.split()).rstrip(".")
    if not name or len(words) < _SHORTEST_WORDS or not has_words(words):
        raise NoWords(_("Give the policy a name, and say in words what a text is about."))
    with transaction.atomic():
        take(AdvisoryLock.POLICIES)
        if policy_pages.count(state=PolicyState.DRAFT, at=at) >= MOST_DRAFTS:
            raise TooMany(_("There are %(count)d drafts; discard some first.") % {"count": MOST_DRAFTS})
        policy = Policy.objects.create(
            name=name[:80],
            words=words[:200],
            reason=reason[:500],
            counts=counts if Reason.objects.filter(code=counts).exists() else "",
            written_by=actor,
            written_at=at,
        )
        _audit("policy.drafted", policy, actor=actor, at=at)
    return policy


def activate(
    *,
    policy_id: int,
    effect: str,
    threshold: float,
    expires_at: datetime,
    actor: User,
    at: datetime,
    is_rescored: bool = False,
) -> int:
    """Activate a draft that was tried; return how many posts of the queue are scored again.

    Raises NotTried, AlreadyActive, NotInForce, NoEnd, TooMany or SecondPersonNeeded.
    """
    longest = LONGEST_HOLD if effect == PolicyEffect.HOLD else LONGEST_TAG
    if not at < expires_at <= at + longest:
        raise NoEnd(_("Such a policy can last at most %(days)d days.") % {"days": longest.days})
    with transaction.atomic():
        # Two leads who activate at once are counted one after the other.
        take(AdvisoryLock.POLICIES)
        policy = Policy.objects.select_for_update().get(pk=policy_id)
        _check(policy, at=at)
        if effect == PolicyEffect.HOLD and is_in_hands_of(
            policy.written_by_id, account=actor, since=policy.written_at
        ):
            _refuse_wide(policy, threshold=threshold, at=at)
        policy.effect, policy.threshold, policy.expires_at = PolicyEffect(effect).value, threshold, expires_at
        policy.activated_by, policy.activated_at = actor, at
        policy.save(update_fields=("effect", "threshold", "expires_at", "activated_by", "activated_at"))
        count = _score_queue_again(at=at) if is_rescored else 0
        _audit(
            "policy.activated",
            policy,
            actor=actor,
            at=at,
            threshold=threshold,
            expires_at=expires_at.isoformat(),
            scored_again=count,
        )
    return count


def end(*, policy_id: int, actor: User, at: datetime) -> int:
    """End a policy, or discard a draft; return how many posts that it held are scored again.

    Raises NotInForce.
    """
    with transaction.atomic():
        # Conditional: of two people who end it at once one changes the row.
        ended = Policy.objects.filter(pk=policy_id, ended_at__isnull=True)
        if not ended.update(ended_at=at, ended_by=actor):
            raise NotInForce(_("This policy has ended."))
        policy = Policy.objects.get(pk=policy_id)
        count = _score_held_again(policy, at=at) if policy.effect == PolicyEffect.HOLD else 0
        _audit("policy.ended", policy, actor=actor, at=at, scored_again=count)
    return count


def _check(policy: Policy, *, at: datetime) -> None:
    if policy_pages.state_of(policy, at=at) == PolicyState.ENDED:
        raise NotInForce(_("This policy has ended."))
    if not policy.is_draft:
        raise AlreadyActive(_("This policy is already active."))
    if policy.tried_at is None or policy.tried_at <= at - TRIAL_LASTS:
        raise NotTried(_("Try the policy on decided posts before it begins, at most a day before."))
    if policy_pages.count(state=PolicyState.LIVE, at=at) >= MOST_ACTIVE:
        raise TooMany(_("%(count)d policies are active; end one first.") % {"count": MOST_ACTIVE})


def _refuse_wide(policy: Policy, *, threshold: float, at: datetime) -> None:
    """Refuse a hold that would, with the others, put too many of the newest posts before people."""
    others = sum(
        policy_pages.share_of_newest(hold, threshold=hold.threshold or 0.0)
        for hold in policy_pages.holds(at=at)
    )
    own = policy_pages.share_of_newest(policy, threshold=threshold)
    if own > 0 and own + others > policy_pages.WIDE:
        raise SecondPersonNeeded(
            _(
                "This would hold %(own)d%% of new posts, other policies hold %(others)d%%. Choose a higher "
                "threshold, or let another lead activate it."
            )
            % {"own": round(100 * own), "others": round(100 * min(others, 1.0))}
        )


def _score_queue_again(*, at: datetime) -> int:
    open_cases = Exists(Case.objects.filter(post=OuterRef("post"), state=CaseState.OPEN))
    latest = Revision.objects.filter(open_cases, number=F("post__latest_revision"))
    newest = latest.order_by("-pk").values_list("pk", flat=True)[:RESCORE_LIMIT]
    return len(rescore.again(newest, at=at, states=rescore.SCORED))


def _score_held_again(policy: Policy, *, at: datetime) -> int:
    matches = PolicyMatch.objects.filter(policy=policy, post__cases__state=CaseState.OPEN)
    newest = matches.order_by("-revision").values_list("revision", flat=True)[:RESCORE_LIMIT]
    return len(rescore.again(set(newest), at=at, states=rescore.SCORED))
