"""What policies in words match of the posts that are being scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog

from moderation import topic_model
from moderation.models import Policy, PolicyMatch, Revision, Score
from moderation.models.policies import PolicyEffect
from moderation.operations.infrastructure import transactions
from moderation.queries.policies import policy_pages
from scoring.triton_calls import Unavailable

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """By revision the policies that it matches, each with the probability.

    `held` tells in the order of the revisions whether one of them holds the post; empty where none does.
    `is_owed`: the answer is missing and a policy holds posts, so they have to be compared later.
    """

    by_revision: Mapping[int, Mapping[int, float]]
    held: Sequence[bool] = ()
    is_known: bool = True
    is_owed: bool = False


NOTHING = Matches(by_revision={})


def find(
    *, revisions: Sequence[Revision], at: datetime, is_degraded: bool, is_awaited: bool = False
) -> Matches:
    """Ask the topics model about texts that scoring has read, in one call, if a policy is active.

    Without an answer nothing is tagged or held: one slow model must not put every post before people. If a
    policy holds posts, these are scored again once the model answers. Texts that `is_degraded` says could not
    be read are not asked about: the same server would not answer in time a second time.
    """
    policies = policy_pages.in_force(at)
    if not policies:
        return NOTHING
    is_owed = any(policy.effect == PolicyEffect.HOLD for policy in policies)
    unknown = Matches(by_revision={}, is_known=False, is_owed=is_owed)
    if is_degraded:
        return unknown
    try:
        answers = topic_model.client(is_awaited=is_awaited).probabilities(
            [revision.text for revision in revisions], topics=[policy.words for policy in policies]
        )
    except Unavailable as reason:
        log.info("policies_unknown", reason=str(reason)[:200], posts=len(revisions))
        return unknown
    rows = [_matched(policies, row) for row in answers.tolist()]
    holding = {policy.pk for policy in policies if policy.effect == PolicyEffect.HOLD}
    return Matches(
        by_revision={revision.pk: row for revision, row in zip(revisions, rows, strict=True)},
        held=[not holding.isdisjoint(row) for row in rows],
    )


@transactions.required
def store(found: Matches, *, scores: Sequence[Score], at: datetime) -> None:
    """Keep what the latest revisions match now, in place of what their posts matched before."""
    if not found.is_known or not found.held:
        return
    latest = [
        score.revision for score in scores if score.revision.number == score.revision.post.latest_revision
    ]
    rows = [
        PolicyMatch(
            policy_id=policy,
            post_id=revision.post_id,
            revision=revision,
            probability=probability,
            matched_at=at,
        )
        for revision in sorted(latest, key=lambda row: row.post_id)
        for policy, probability in sorted(found.by_revision[revision.pk].items())
    ]
    PolicyMatch.objects.filter(post__in=[revision.post_id for revision in latest]).delete()
    # Another worker may just have stored those of an earlier revision.
    PolicyMatch.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["policy", "post"],
        update_fields=["revision", "probability", "matched_at"],
    )


def is_ready(*, at: datetime) -> bool:
    """Tell whether posts can be compared with what holds posts: nothing does, or the topics model answers."""
    holds = any(policy.effect == PolicyEffect.HOLD for policy in policy_pages.in_force(at))
    return not holds or topic_model.client(is_awaited=False).is_ready()


def _matched(policies: Sequence[Policy], row: Sequence[float]) -> dict[int, float]:
    """Return the policies from their thresholds on; NaN, of a text without words, reaches none."""
    return {
        policy.pk: probability
        for policy, probability in zip(policies, row, strict=True)
        if policy.threshold is not None and probability >= policy.threshold
    }
