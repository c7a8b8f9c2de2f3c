"""Decide a post as moderators of its own platform did there, in the name of a user here."""

from datetime import datetime

from django.db import transaction

from moderation.models import Case, Decision, Platform, Post, User
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import Verdict
from moderation.operations.cases import claims, opening, overrule, review
from moderation.operations.refusals import Erased


def record(
    *, platform: Platform, external_id: str, verdict: Verdict, moderator: User, at: datetime
) -> Decision:
    """Return the decision of a person that says so, made now if none stands.

    Raises Post.DoesNotExist, Erased, NotScored, or a Refusal: somebody holds the case, or the user may not
    decide it.
    """
    with transaction.atomic():
        post = Post.objects.select_for_update(no_key=True).get(platform=platform, external_id=external_id)
        if post.erased_at is not None:
            raise Erased("The post was erased.")
        standing = overrule.standing_of_person(post=post.pk)
        if standing is not None and standing.verdict == verdict:
            return standing
        reason = CaseReason.COMPLAINTS if verdict == Verdict.SPAM else CaseReason.APPEALED
        case = Case.objects.filter(post=post, state=CaseState.OPEN).first()
        case = case or opening.opened(post, reason=reason, at=at)
        moderator.acts_by_key = True
        claims.claim(case_id=case.pk, moderator=moderator, at=at)
        return review.decide(
            case_id=case.pk,
            case_version=case.version,
            moderator=moderator,
            verdict=verdict,
            note="Decided so on the platform.",
            at=at,
        )
