"""Refusals of posts."""

from __future__ import annotations

from moderation.api.problem_types.problem_type import ProblemType

TYPES = (
    ProblemType(
        code="revision_conflict",
        status=409,
        title="This revision is stored with another content",
        cure="An edited post has a higher revision than before. The stored revision was not changed.",
    ),
    ProblemType(
        code="erased",
        status=410,
        title="It was erased",
        cure="Nothing of it is kept, and nothing about it is taken in any more.",
    ),
)
