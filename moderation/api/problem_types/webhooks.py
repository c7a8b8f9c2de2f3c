"""Refusals about endpoints and deliveries."""

from __future__ import annotations

from moderation.api.problem_types.problem_type import ProblemType

TYPES = (
    ProblemType(
        code="endpoint_exists",
        status=409,
        title="There is an endpoint with this address",
        cure="Change that one, or remove it first.",
    ),
    ProblemType(
        code="too_many_endpoints",
        status=409,
        title="There are too many endpoints",
        cure="Remove one that is not used.",
    ),
    ProblemType(
        code="no_replay",
        status=409,
        title="The delivery cannot be sent again",
        cure="Enable its endpoint first; a delivery that was cancelled stays so.",
    ),
    ProblemType(
        code="cannot_encrypt",
        status=503,
        title="Signing secrets cannot be kept",
        cure="The operator has to set SPAMDESK_ENCRYPTION_KEYS. Nothing was stored or sent unsigned.",
    ),
)
