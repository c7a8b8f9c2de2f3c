"""Refusals to draw posts or to read an export."""

from __future__ import annotations

from moderation.api.problem_types.problem_type import ProblemType

TYPES = (
    ProblemType(
        code="nothing_to_draw",
        status=409,
        title="No post is left to be drawn",
        cure="Ask for more days, or when more posts have come: nobody labels a post twice.",
    ),
    ProblemType(
        code="too_many_drawn",
        status=409,
        title="Drawn posts wait already",
        cure="Have those labelled first, or cancel their draw.",
    ),
    ProblemType(
        code="not_ready",
        status=409,
        title="The export is not built yet",
        cure="Ask for the export until its state is ready.",
    ),
)
