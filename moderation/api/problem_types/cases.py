"""Refusals about a post, its case, its campaign or a decision."""

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
