"""Refusals about labels and releases."""

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
    ProblemType(
        code="no_candidate",
        status=409,
        title="The training run made no release",
        cure="Propose the candidate of a run whose state is ready.",
    ),
    ProblemType(
        code="shared_thresholds",
        status=409,
        title="Other platforms share these thresholds",
        cure="Have somebody propose the change on the desk: it concerns their posts, too.",
    ),
    ProblemType(
        code="already_live",
        status=409,
        title="This is live already",
        cure="There is nothing to propose.",
    ),
    ProblemType(
        code="already_proposed",
        status=409,
        title="An open proposal names this release",
        cure="Confirm or refuse that one.",
    ),
    ProblemType(
        code="own_proposal",
        status=409,
        title="Nobody confirms their own proposal",
        cure="Have it confirmed with a key that acts for somebody else, or on the desk.",
    ),
    ProblemType(
        code="proposal_closed",
        status=409,
        title="The proposal is no longer open",
        cure="It was confirmed, refused or ran out; propose it again if it should still go live.",
    ),
    ProblemType(
        code="going_live",
        status=409,
        title="The release is already going live",
        cure="Somebody has confirmed it: read the proposal again in a minute.",
    ),
    ProblemType(
        code="live_has_changed",
        status=409,
        title="Another release went live since",
        cure="Read which release is live. Propose it again: the figures of a proposal compare with the "
        "release that was live then. Roll back only if the live one should go, too.",
    ),
    ProblemType(
        code="nothing_before",
        status=409,
        title="No release was live before this one",
        cure="There is nothing to go back to; name a kept release in `to` if there is one.",
    ),
    ProblemType(
        code="release_unusable",
        status=409,
        title="This release cannot score here",
        cure="Its files, features or content model are not here any more; name another release, or have "
        "the operator look with `manage.py replay_scores --release`.",
    ),
    ProblemType(
        code="shadow_open",
        status=409,
        title="Another candidate runs in shadow",
        cure="Stop that run, or have it stopped: one is open at a time, of any platform.",
    ),
    ProblemType(
        code="shadow_ended",
        status=409,
        title="The shadow run has ended",
        cure="There is nothing to stop.",
    ),
    ProblemType(
        code="candidate_unusable",
        status=409,
        title="The candidate cannot score here",
        cure="Nothing was started; the page of shadow runs on the desk says what is wrong with the release.",
    ),
    ProblemType(
        code="not_promoted",
        status=409,
        title="The live release stays",
        cure="The gate refuses the release, or it cannot be used here; the Models page of the desk says why.",
    ),
)
