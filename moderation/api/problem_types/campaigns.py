"""Refusals to decide a campaign."""

from __future__ import annotations

from moderation.api.problem_types.problem_type import ProblemType

TYPES = (
    ProblemType(
        code="still_running",
        status=409,
        title="An earlier decision is being carried out",
        cure="Large campaigns take some seconds; try again when their members are decided.",
    ),
    ProblemType(
        code="nothing_to_decide",
        status=409,
        title="No post of the campaign waits for this",
        cure="Read its members: they were decided one by one, or together.",
    ),
    ProblemType(
        code="shared_campaign",
        status=409,
        title="The campaign holds posts of other platforms",
        cure="Decide your cases one by one, or ask a lead of the desk to decide the campaign.",
    ),
    ProblemType(
        code="count_moved",
        status=412,
        title="The campaign has another number of posts by now",
        cure="Look at the members that joined since, then send the count that the member found names.",
    ),
)
