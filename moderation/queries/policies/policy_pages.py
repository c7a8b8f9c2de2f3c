"""Policies: those in force, lists, what a trial says at a threshold, and what a post matches."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Left

from moderation.models import Case, Label, Policy, PolicyMatch, Revision
from moderation.models.cases import BLIND_REASONS, CaseState
from moderation.models.policies import PolicyEffect
from moderation.queries import outcome_counts

THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
FEWEST_OF_A_SHARE = 20
"""Of fewer posts no percentage is shown: it would look surer than it is."""
WIDE = 0.1
"""A hold that matches more than this share of the newest posts is wide: moderators could not keep up."""
_HITS = 10
_EXCERPT = 300


class PolicyState(StrEnum):
    """Drafts wait for activation, live policies are in force, ended ones were ended or have expired."""

    LIVE = "live"
    DRAFT = "draft"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(outcome_counts.Share):
    """A share that is told of FEWEST_OF_A_SHARE on."""

    fewest: ClassVar[int] = FEWEST_OF_A_SHARE


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a policy would do from a threshold on: `precision` of its hits, `recall` of what it is to find."""

    threshold: float
    precision: Share
    recall: Share
    newest: Share

    @property
    def is_wide(self) -> bool:
        """Whether a hold from here on would put too many posts before people for one lead to begin it."""
        return (self.newest.share or 0.0) > WIDE


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A post that people judged and that the policy matches."""

    post_id: int
    excerpt: str
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A trial with the labels of now; posts that were erased or are judged blindly are left out."""

    judged: int
    wanted: int
    newest: int
    rows: tuple[Row, ...]
    right: tuple[Hit, ...]
    wrong: tuple[Hit, ...]


def state_of(policy: Policy, *, at: datetime) -> PolicyState:
    """Return the state of a loaded policy at an instant."""
    if policy.ended_at is not None or (policy.expires_at is not None and policy.expires_at <= at):
        return PolicyState.ENDED
    return PolicyState.DRAFT if policy.is_draft else PolicyState.LIVE


def listed(*, state: PolicyState, at: datetime, limit: int = 200) -> list[Policy]:
    """Return policies, the newest first, each with its number of matches as `hits`."""
    rows = Policy.objects.filter(_in_state(state, at=at)).defer("trial")
    counted = rows.select_related("written_by", "activated_by", "ended_by").annotate(hits=Count("matches"))
    return list(counted.order_by("-pk")[:limit])


def count(*, state: PolicyState, at: datetime) -> int:
    """Return how many policies are in a state."""
    return Policy.objects.filter(_in_state(state, at=at)).count()


def one(policy_id: int) -> Policy:
    """Read a policy with the people who acted on it. Raises Policy.DoesNotExist."""
    return Policy.objects.select_related("written_by", "activated_by", "ended_by").get(pk=policy_id)


def options(*, at: datetime) -> list[tuple[str, str]]:
    """Return the policies in force as choices of a filter."""
    policies = in_force(at)
    return [(str(row.pk), row.name) for row in sorted(policies, key=lambda row: row.name.lower())]


def matched_by(post_id: int, *, at: datetime) -> list[PolicyMatch]:
    """Return what a post matches, the surest first."""
    return of_posts([post_id], at=at).get(post_id, [])


def of_posts(post_ids: Collection[int], *, at: datetime) -> dict[int, list[PolicyMatch]]:
    """Return what posts match of the policies in force, the surest first; nothing of one judged blindly."""
    live = is_in_force(at=at, prefix="policy__")
    rows = PolicyMatch.objects.filter(live, ~Exists(blind()), post__in=post_ids)
    matches: dict[int, list[PolicyMatch]] = {}
    for match in rows.select_related("policy").defer("policy__trial").order_by("-probability", "id"):
        matches.setdefault(match.post_id, []).append(match)
    return matches


def matching(policy_id: int) -> Q:
    """Return the condition for rows with a `post` that matched a policy when it was scored last."""
    return Q(post__in=PolicyMatch.objects.filter(policy=policy_id).values("post"))


def blind() -> QuerySet[Case]:
    """Return the cases of a row's `post` whose judge must not read what models or people said of it."""
    return Case.objects.filter(post=OuterRef("post"), state=CaseState.OPEN, reason__in=BLIND_REASONS)


def share_of_newest(policy: Policy, *, threshold: float) -> float:
    """Return which share of the newest posts matched in the trial; 0 if it saw too few to say."""
    newest = [probability for _, probability in _pairs(policy, "newest")]
    return _newest(newest, threshold=threshold).share or 0.0


def holds(*, at: datetime) -> list[Policy]:
    """Return the policies in force that hold posts, with their trials."""
    return list(Policy.objects.filter(is_in_force(at=at), effect=PolicyEffect.HOLD).order_by("id"))


def trial(policy: Policy, *, threshold: float) -> Trial:
    """Read a trial with the labels of now; `right` and `wrong` are hits from `threshold` on."""
    judged = _judged(policy)
    newest = [probability for _, probability in _pairs(policy, "newest")]
    hits = sorted((one for one in judged if one[1] >= threshold), key=lambda one: (-one[1], one[0]))
    return Trial(
        judged=len(judged),
        wanted=sum(is_right for *_, is_right in judged),
        newest=len(newest),
        rows=tuple(_row(limit, judged, newest) for limit in THRESHOLDS),
        right=_hits([hit for hit in hits if hit[2]]),
        wrong=_hits([hit for hit in hits if not hit[2]]),
    )


_Judged = Sequence[tuple[int, float, bool]]
"""Posts that people judged, their probabilities, and whether the policy is to find them."""


def _judged(policy: Policy) -> _Judged:
    pairs = _pairs(policy, "judged")
    labels = Label.objects.filter(
        ~Exists(blind()),
        post__in=[post for post, _ in pairs],
        retracted_at__isnull=True,
        post__erased_at__isnull=True,
    )
    is_right = {
        post: is_spam and (not policy.counts or reason == policy.counts)
        for post, is_spam, reason in labels.values_list("post", "is_spam", "decision__reason")
    }
    return [(post, probability, is_right[post]) for post, probability in pairs if post in is_right]


def _row(threshold: float, judged: _Judged, newest: Sequence[float]) -> Row:
    hits = [is_right for _, probability, is_right in judged if probability >= threshold]
    return Row(
        threshold=threshold,
        precision=Share(part=sum(hits), of=len(hits)),
        recall=Share(part=sum(hits), of=sum(is_right for *_, is_right in judged)),
        newest=_newest(newest, threshold=threshold),
    )


def _newest(probabilities: Sequence[float], *, threshold: float) -> Share:
    return Share(part=sum(probability >= threshold for probability in probabilities), of=len(probabilities))


def _pairs(policy: Policy, name: str) -> list[tuple[int, float]]:
    return [(int(post), float(probability)) for post, probability in policy.trial.get(name, ())]


def _hits(hits: _Judged) -> tuple[Hit, ...]:
    shown = hits[:_HITS]
    latest = Revision.objects.filter(post__in=[post for post, *_ in shown], number=F("post__latest_revision"))
    texts = dict(latest.values_list("post", Left("text", _EXCERPT)))
    return tuple(
        Hit(post_id=post, excerpt=texts.get(post, ""), probability=probability)
        for post, probability, _ in shown
    )


def _in_state(state: PolicyState, *, at: datetime) -> Q:
    ended = Q(ended_at__isnull=False) | Q(expires_at__lte=at)
    return {
        PolicyState.LIVE: is_in_force(at=at),
        PolicyState.DRAFT: Q(activated_at__isnull=True, ended_at__isnull=True),
        PolicyState.ENDED: ended,
    }[state]


def is_in_force(*, at: datetime, prefix: str = "") -> Q:
    """Return the condition for policies in force at an instant; `prefix` leads to the policy."""
    return Q(
        **{
            f"{prefix}activated_at__lte": at,
            f"{prefix}ended_at__isnull": True,
            f"{prefix}expires_at__gt": at,
        }
    )


def in_force(at: datetime) -> list[Policy]:
    """Return the policies in force, in the order in which they were written."""
    return list(Policy.objects.filter(is_in_force(at=at)).defer("trial").order_by("id"))
