"""What a simulated platform and moderator do inside a rehearsal, a transaction rolled back at its end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from moderation.models import Case, Decision, Platform, Release, Revision, Score, User
from moderation.models.cases import CaseState
from moderation.models.decisions import Verdict
from moderation.models.scores import RouteChoice
from moderation.operations.cases import claims, review
from moderation.operations.infrastructure import transactions
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingPost
from moderation.operations.scoring import route
from moderation.operations.similarity import backfill

_RELEASE = "simulated"


@transactions.required
def accept(
    *, platform: Platform, posts: Sequence[IncomingPost], at: datetime
) -> list[ingest.Accepted | ingest.Refused]:
    """Store posts and compare them with earlier ones, which scoring would do otherwise.

    Call inside a transaction.
    """
    answers = ingest.store(platform=platform, posts=posts, at=at)
    stored = [answer.revision_id for answer in answers if isinstance(answer, ingest.Accepted)]
    rows = Revision.objects.filter(pk__in=stored).select_related("post").order_by("pk")
    backfill.missing(revisions=list(rows))
    return answers


@transactions.required
def judge(*, revision: Revision, is_spam: bool, moderator: User, at: datetime) -> Decision:
    """Open a case for the revision, claim it and decide it, as the desk does. Call inside a transaction.

    The case needs a score to stand on; no model has run, so it says 0.5 under a release named `simulated`.
    """
    score = Score.objects.create(
        revision=revision,
        generation=revision.generation,
        release=_release(at=at),
        scored_at=at,
        record={},
        schema_hash="",
        features=[],
        spam_probability=0.5,
        route=RouteChoice.REVIEW,
    )
    route.apply(scores=[score], at=at)
    case = Case.objects.get(post=revision.post_id, state=CaseState.OPEN)
    claims.claim(case_id=case.pk, moderator=moderator, at=at)
    verdict = Verdict.SPAM if is_spam else Verdict.NOT_SPAM
    return review.decide(
        case_id=case.pk, case_version=case.version, moderator=moderator, verdict=verdict, at=at
    )


def _release(*, at: datetime) -> Release:
    return Release.objects.get_or_create(
        pk=_RELEASE, defaults={"manifest": {"simulated": True}, "first_used_at": at}
    )[0]
