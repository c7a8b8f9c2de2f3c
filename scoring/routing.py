"""From spam probability to route, audit sample and queue priority.

No model, no clock; random numbers come from a key only.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from scoring.blocklist import Effect
from scoring.records import PostRecord
from scoring.release import Safety, Thresholds

NO_OPINION = 0.5
NO_SAFETY = Safety()
REMOVE_PRECISION = 0.98
"""The promise: of the posts that the filter alone removes, at least so many are spam."""

ALLOW_LEAK = 0.02
"""The promise: of the posts that it lets through, at most so many are spam."""

_WITNESSES = 2


class Route(StrEnum):
    """The routes of a post."""

    ALLOW = "allow"
    REVIEW = "review"
    REMOVE = "remove"


class ReviewReason(StrEnum):
    """Why scoring sends a post to a human."""

    UNCERTAIN = "uncertain"
    DEGRADED = "degraded"
    AUDIT = "audit"
    HOLD = "hold"
    OUTVOTED = "outvoted"
    UNREAD_SCRIPT = "unread_script"
    UNPROVEN = "unproven"


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """A route; `reason` is None unless it is review.

    `audit_probability` is the probability that this post reached a human: 1 if it had to, 0 before the draw.
    Its inverse weights the human's decision when the filter's quality is estimated.
    """

    route: Route
    reason: ReviewReason | None
    audit_probability: float
    is_audit_sample: bool
    uniform_probability: float | None = None
    """The chance by which the uniform part of the sample drew this post; None if that part did not."""

    automatic: Route | None = field(default=None, compare=False)
    """The automatic route of the post, even if the sample sent it to a human.

    None if a human had to see it.
    """


def decide(
    *,
    probability: float,
    thresholds: Thresholds,
    is_degraded: bool,
    effect: Effect | None = None,
    sub_models: Mapping[str, float | None] = MappingProxyType({}),
    safety: Safety = NO_SAFETY,
    is_unread: bool = False,
) -> Routing:
    """Route a post by its spam probability; the audit sample is drawn afterwards, by `sampled`.

    `effect` is that of the matching rule: an allowance lets it pass whatever the probability, a hold never
    without a human. A degraded score never leads to an automatic decision. `sub_models` are the parts' own
    probabilities, None where silent: by `safety` a sure one is not outvoted without a human, nor does one
    alone remove. A post that `is_unread`, in a script that the content model does not read, always goes to a
    human. Raises ValueError if the probability is not in [0, 1].
    """
    if not 0.0 <= probability <= 1.0:
        raise ValueError(f"spam probability {probability} is not in [0, 1]")
    if effect is Effect.ALLOW:
        return _automatic(Route.ALLOW)
    is_spam = probability >= thresholds.remove_from
    is_unsure = not is_spam and probability >= thresholds.review_from
    reason: ReviewReason | None = None
    if is_degraded:
        reason = ReviewReason.DEGRADED
    elif is_unread:
        reason = ReviewReason.HOLD if effect is Effect.HOLD else ReviewReason.UNREAD_SCRIPT
    elif is_unsure:
        reason = ReviewReason.UNCERTAIN
    elif is_spam and _stands_alone(sub_models, bounds=safety.remove_alone_from):
        reason = ReviewReason.OUTVOTED
    elif not is_spam and effect is Effect.HOLD:
        reason = ReviewReason.HOLD
    elif not is_spam and _reaches(sub_models, bounds=safety.hold_from):
        reason = ReviewReason.OUTVOTED
    if reason is not None:
        return _review(reason)
    return _automatic(Route.REMOVE if is_spam else Route.ALLOW)


def strictest(effect: Effect | None, *, is_held: bool) -> Effect | None:
    """Return the joint effect of a rule and policies in words: a hold goes before an allowance."""
    return Effect.HOLD if is_held else effect


def hundredth(probability: float) -> int:
    """Return a probability in whole per cent, as people see it: rounded, but never up to 1 or 100."""
    if 0.0 < probability < 0.01:
        return 0
    return 99 if 0.99 < probability < 1.0 else round(probability * 100)


def draw(record: PostRecord, release_id: str, *, key: bytes) -> float:
    """Return a pseudo-random number in [0, 1), the same for the same post revision and release.

    The sender chooses the record's ids and may know the release: only the secret key (1 to 64 bytes) makes
    the number unpredictable for a sender who wants to avoid the draw.
    """
    # A separator that no slug holds: ("a", "bc") and ("ab", "c") must not share a number.
    name = "\x1f".join((record.platform, record.external_id, str(record.revision), release_id))
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), key=key, digest_size=8).digest()
    # 53 bits: the precision of float64, so the result is exact and below 1.
    return (int.from_bytes(digest, "big") >> 11) / 2**53


def sampled(
    routing: Routing, *, chance: float, is_drawn: bool, uniform_probability: float | None = None
) -> Routing:
    """Send a post that was drawn for the audit sample to a human, and store its probability.

    A post that had to go to a human is unchanged.
    """
    if routing.automatic is None:
        return routing
    return Routing(
        route=Route.REVIEW if is_drawn else routing.automatic,
        reason=ReviewReason.AUDIT if is_drawn else None,
        audit_probability=chance,
        is_audit_sample=is_drawn,
        uniform_probability=uniform_probability,
        automatic=routing.automatic,
    )


def unproven(routing: Routing) -> Routing:
    """Send a post that the models would remove to a human; a ban, and every other route, is unchanged."""
    return _review(ReviewReason.UNPROVEN) if routing.automatic is Route.REMOVE else routing


def opinion(routing: Routing, probability: float, *, evidence: float | None = None) -> float:
    """Return the probability by which a routed post is sorted in the queue.

    For an audit sample it must not reveal the models' output; for a hold, or an unread script, it must not
    depend on models that do not know such posts. What `evidence` alone says holds in any script.
    """
    if routing.reason is ReviewReason.UNREAD_SCRIPT:
        return max(NO_OPINION, evidence or 0.0)
    is_without = routing.is_audit_sample or routing.reason is ReviewReason.HOLD
    return NO_OPINION if is_without else probability


def expected_harm(record: PostRecord, *, probability: float) -> float:
    """Return the queue priority, ≥ 0: spam probability times the reach that a wrong "allow" would have.

    Reach grows with the orders of magnitude of the author's audience and of the shares and answers so far,
    since one more follower matters less to a large account; a post nobody sees counts as one.
    """
    audience = math.log10(1 + (record.author.followers or 0))
    spread = math.log2(1 + (record.shares or 0) + (record.comments or 0))
    return probability * (1.0 + audience + spread)


def _stands_alone(sub_models: Mapping[str, float | None], *, bounds: Mapping[str, float]) -> bool:
    """Return whether at most one sub-model calls the post spam, and below `remove_alone_from`."""
    witnesses = [value for value in sub_models.values() if value is not None and value >= NO_OPINION]
    return bool(bounds) and len(witnesses) < _WITNESSES and not _reaches(sub_models, bounds=bounds)


def _reaches(sub_models: Mapping[str, float | None], *, bounds: Mapping[str, float]) -> bool:
    pairs = ((sub_models.get(name), bound) for name, bound in bounds.items())
    return any(probability is not None and probability >= bound for probability, bound in pairs)


def _automatic(route: Route) -> Routing:
    """Route automatically; the audit sample is drawn from these posts later, allowances included."""
    return Routing(route=route, reason=None, audit_probability=0.0, is_audit_sample=False, automatic=route)


def _review(reason: ReviewReason) -> Routing:
    return Routing(route=Route.REVIEW, reason=reason, audit_probability=1.0, is_audit_sample=False)
