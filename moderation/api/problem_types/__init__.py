"""Every way to be refused at the platform API: stable code, status, and what to do about it (RFC 9457).

By subject: `every_request`, `accounts`, `posts`, `cases`, `decisions`, `campaigns`, `rules`, `webhooks`,
`labels`, `learning`.
"""

from __future__ import annotations

from moderation.api.problem_types import (
    accounts,
    campaigns,
    cases,
    decisions,
    every_request,
    labels,
    learning,
    posts,
    rules,
    webhooks,
)
from moderation.api.problem_types.problem_type import ProblemType

TYPES: tuple[ProblemType, ...] = tuple(
    sorted(
        (
            *every_request.TYPES,
            *accounts.TYPES,
            *posts.TYPES,
            *cases.TYPES,
            *decisions.TYPES,
            *campaigns.TYPES,
            *rules.TYPES,
            *webhooks.TYPES,
            *labels.TYPES,
            *learning.TYPES,
        ),
        key=lambda kind: kind.status,
    )
)
"""Of every subject, in the order of their status."""
