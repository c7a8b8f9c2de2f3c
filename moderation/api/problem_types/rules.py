"""Refusals of rules."""

from __future__ import annotations

from moderation.api.problem_types.problem_type import ProblemType

TYPES = (
    ProblemType(
        code="rule_exists",
        status=409,
        title="A rule about this is in force",
        cure="Lift the old rule first, if its effect, end or reason should change.",
    ),
    ProblemType(
        code="already_active",
        status=409,
        title="The rule was activated before",
        cure="Nothing needs to be done: it holds.",
    ),
    ProblemType(
        code="second_person_needed",
        status=409,
        title="The ban matches many posts that people judged not spam",
        cure="Another lead has to activate it, on the desk or with a key that acts for them.",
    ),
    ProblemType(
        code="rule_ended",
        status=409,
        title="The rule was lifted, or its end has passed",
        cure="Make a new one.",
    ),
)
