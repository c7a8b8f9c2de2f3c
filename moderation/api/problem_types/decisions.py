"""Refusals to reverse a decision."""

from __future__ import annotations

from moderation.api.problem_types.problem_type import ProblemType

TYPES = (
    ProblemType(
        code="already_reversed",
        status=409,
        title="The decision was taken back before",
        cure="Read the post to see which decision holds.",
    ),
    ProblemType(
        code="same_verdict",
        status=409,
        title="The decision says this already",
        cure="Nothing needs to be done.",
    ),
)
