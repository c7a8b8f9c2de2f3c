"""Refusals to train a release."""

from __future__ import annotations

from moderation.api.problem_types.problem_type import ProblemType

TYPES = (
    ProblemType(
        code="training_open",
        status=409,
        title="Another training run is not over",
        cure="Wait for it, or have it cancelled: one is open at a time, of any platform.",
    ),
    ProblemType(
        code="training_ended",
        status=409,
        title="The training run has ended",
        cure="There is nothing to cancel; start another one if you need it.",
    ),
    ProblemType(
        code="nothing_to_learn",
        status=409,
        title="Nobody has labelled a post",
        cure="Have posts decided first, or ask for random posts to be labelled.",
    ),
)
