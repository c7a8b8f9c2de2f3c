"""Refusals to claim, decide or reopen a case."""

from __future__ import annotations

from moderation.api.problem_types.problem_type import ProblemType

TYPES = (
    ProblemType(
        code="already_claimed",
        status=409,
        title="Somebody else holds the case",
        cure="Take another case, or come back when the claim has run out.",
    ),
    ProblemType(
        code="already_decided",
        status=409,
        title="The case was decided before",
        cure="The member decision of this problem is the one that won; reverse it if it is wrong.",
    ),
    ProblemType(
        code="case_closed",
        status=409,
        title="The case no longer waits for a human",
        cure="Read the post to see what was decided.",
    ),
    ProblemType(
        code="not_decided",
        status=409,
        title="It waits for its first decision",
        cure="Ask for a second look once a person has decided, and no case of the post is open.",
    ),
    ProblemType(
        code="claim_lost",
        status=409,
        title="The claim has run out",
        cure="Claim the case again, look at it, then decide.",
    ),
    ProblemType(
        code="post_changed",
        status=409,
        title="The post was edited meanwhile",
        cure="Read the case again: it has a higher version.",
    ),
)
