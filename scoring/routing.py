"""From spam probability to route, audit sample and place in the queue. No model lives here, no clock, no
random numbers but those of a key.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from scoring.blocklist import Effect
from scoring.records import PostRecord
from scoring.release import Safety, Thresholds

__all__ = [
    "ReviewReason",
    "Route",
    "Routing",
    "Safety",
    "Thresholds",
    "decide",
    "draw",
    "expected_harm",
    "hundredth",
    "opinion",
    "sampled",
]

NO_OPINION = 0.5
NO_SAFETY = Safety()
_WITNESSES = 2


class Route(StrEnum):
    """What a spam probability leads to."""

    ALLOW = "allow"
    REVIEW = "review"
    REMOVE = "remove"


class ReviewReason(StrEnum):
    """Why scoring sends a post to a human."""

    UNCERTAIN = "uncertain"
    DEGRADED = "degraded"
    AUDIT = "audit"
    WAVE = "wave"
    OUTVOTED = "outvoted"
    UNREAD_SCRIPT = "unread_script"


_UNKNOWN_TO_MODELS = frozenset({ReviewReason.WAVE, ReviewReason.UNREAD_SCRIPT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """A route; `reason` is None unless it is review.

    `audit_probability` is the chance that this post reached a human, 1 where it had to and 0 before anything
    was drawn: its inverse weighs the human's decision when the filter's quality is estimated.
    """

    route: Route
    reason: ReviewReason | None
    audit_probability: float
    is_audit_sample: bool
    automatic: Route | None = field(default=None, compare=False)
    """Where the post goes, or would have gone but for the sample, without a human; None where it had to."""


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

    `effect` is that of the rule that reaches the post: an allowance lets it pass whatever the probability, a
    wave lets it pass to a human at best. A degraded score never acts by itself. `sub_models` are the parts'
    own probabilities, None where silent: by `safety` a sure one is not outvoted without a human, nor does one
    alone remove. One that `is_unread`, in a script that the content model does not read, is for a human,
    whatever the models made of it. Raises ValueError if the probability is not in [0, 1].
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
        reason = ReviewReason.WAVE if effect is Effect.WAVE else ReviewReason.UNREAD_SCRIPT
    elif is_unsure or (is_spam and _stands_alone(sub_models, bounds=safety.remove_alone_from)):
        reason = ReviewReason.UNCERTAIN
    elif not is_spam and effect is Effect.WAVE:
        reason = ReviewReason.WAVE
    elif not is_spam and _reaches(sub_models, bounds=safety.hold_from):
        reason = ReviewReason.OUTVOTED
    if reason is not None:
        return _review(reason)
    return _automatic(Route.REMOVE if is_spam else Route.ALLOW)


def hundredth(probability: float) -> int:
    """Return a probability in whole per cent, as people see it: 0 and 99 also stand for what is not quite
    0 or 100.
    """
    if 0.0 < probability < 0.01:
        return 0
    return 99 if 0.99 < probability < 1.0 else round(probability * 100)


def draw(record: PostRecord, release_id: str, *, key: bytes) -> float:
    """Return a number in [0, 1) that looks random but is the same for the same post revision and release.

    The sender chooses the record's names and may know the release: only by the key, of 1 to 64 bytes, is a
    post's number unknown to whoever would rather not be drawn.
    """
    name = "\x1f".join((record.platform, record.external_id, str(record.revision), release_id))
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), key=key, digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53


def sampled(routing: Routing, *, chance: float, is_drawn: bool) -> Routing:
    """Send a post that was drawn for the audit sample to a human, and note with which chance it was drawn;
    what had to go to a human stays as it is.
    """
    if routing.automatic is None:
        return routing
    return Routing(
        route=Route.REVIEW if is_drawn else routing.automatic,
        reason=ReviewReason.AUDIT if is_drawn else None,
        audit_probability=chance,
        is_audit_sample=is_drawn,
        automatic=routing.automatic,
    )


def opinion(routing: Routing, probability: float) -> float:
    """Return the probability by which a routed post takes its place in the queue.

    That of an audit sample must not tell the human what the models think; that of a wave, or of a text which
    they cannot read, must not go by models which do not know it.
    """
    is_without = routing.is_audit_sample or routing.reason in _UNKNOWN_TO_MODELS
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
    """Tell if at most one sub-model calls the post spam, and not as surely as it must for that."""
    witnesses = [one for one in sub_models.values() if one is not None and one >= NO_OPINION]
    return bool(bounds) and len(witnesses) < _WITNESSES and not _reaches(sub_models, bounds=bounds)


def _reaches(sub_models: Mapping[str, float | None], *, bounds: Mapping[str, float]) -> bool:
    asked = ((sub_models.get(name), bound) for name, bound in bounds.items())
    return any(probability is not None and probability >= bound for probability, bound in asked)


def _automatic(route: Route) -> Routing:
    """Act without a human, but for the sample that tells how good acting is: an allowance's, too."""
    return Routing(route=route, reason=None, audit_probability=0.0, is_audit_sample=False, automatic=route)


def _review(reason: ReviewReason) -> Routing:
    return Routing(route=Route.REVIEW, reason=reason, audit_probability=1.0, is_audit_sample=False)
