"""From spam probability to route, audit sample and place in the queue. No model lives here, no clock, no
dice.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from enum import StrEnum

from scoring.records import PostRecord
from scoring.release import Thresholds

__all__ = ["ReviewReason", "Route", "Routing", "Thresholds", "decide", "draw", "expected_harm"]

NO_OPINION = 0.5


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """A route; `reason` is None unless it is review.

    `audit_probability` is the chance that this post reached a human, 1 where it had to: its inverse weighs
    the human's decision when the filter's quality is estimated.
    """

    route: Route
    reason: ReviewReason | None
    audit_probability: float
    is_audit_sample: bool


def decide(*, probability: float, thresholds: Thresholds, is_degraded: bool, draw: float) -> Routing:
    """Route a post by its spam probability; `draw` in [0, 1) picks the audit sample.

    A degraded score never acts by itself. Raises ValueError if the probability is not in [0, 1].
    """
    if not 0.0 <= probability <= 1.0:
        raise ValueError(f"spam probability {probability} is not in [0, 1]")
    if is_degraded:
        return _review(ReviewReason.DEGRADED)
    if thresholds.review_from <= probability < thresholds.remove_from:
        return _review(ReviewReason.UNCERTAIN)
    if draw < thresholds.audit_rate:
        return Routing(
            route=Route.REVIEW,
            reason=ReviewReason.AUDIT,
            audit_probability=thresholds.audit_rate,
            is_audit_sample=True,
        )
    route = Route.REMOVE if probability >= thresholds.remove_from else Route.ALLOW
    return Routing(route=route, reason=None, audit_probability=thresholds.audit_rate, is_audit_sample=False)


def draw(record: PostRecord, release_id: str) -> float:
    """Return a number in [0, 1) that looks random but is the same for the same post revision and release."""
    key = "\x1f".join((record.platform, record.external_id, str(record.revision), release_id))
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53


def expected_harm(record: PostRecord, *, probability: float) -> float:
    """Return the queue priority, ≥ 0: spam probability times the reach that a wrong "allow" would have.

    For an audit sample pass NO_OPINION: its place in the queue must not tell the human what the models think.

    Reach grows with the orders of magnitude of the author's audience and of the shares and answers so far,
    since one more follower matters less to a large account; a post nobody sees counts as one.
    """
    audience = math.log10(1 + (record.author.followers or 0))
    spread = math.log2(1 + (record.shares or 0) + (record.comments or 0))
    return probability * (1.0 + audience + spread)


def _review(reason: ReviewReason) -> Routing:
    return Routing(route=Route.REVIEW, reason=reason, audit_probability=1.0, is_audit_sample=False)
