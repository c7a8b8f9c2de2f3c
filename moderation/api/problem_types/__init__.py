"""Every way to be refused at the platform API: stable code, status, and what to do about it (RFC 9457).

By subject: `every_request`, `accounts`, `cases`, `rules`, `webhooks`, `learning`.
"""

from __future__ import annotations

from moderation.api.problem_types import accounts, cases, every_request, learning, rules, webhooks
from moderation.api.problem_types.problem_type import ProblemType

TYPES: tuple[ProblemType, ...] = tuple(
    sorted(
        (
            *every_request.TYPES,
            *accounts.TYPES,
            *cases.TYPES,
            *rules.TYPES,
            *webhooks.TYPES,
            *learning.TYPES,
        ),
        key=lambda kind: kind.status,
    )
)
"""Of every subject, in the order of their status."""
