"""What a simulated platform and moderator do inside a rehearsal, a transaction rolled back at its end."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType

from django.db.models import Q

from moderation.models import (
    Case,
    Decision,
    Evidence,
    EvidenceRequest,
    Platform,
    Release,
    Revision,
    Score,
    User,
)
from moderation.models.cases import CaseState
from moderation.models.decisions import Verdict
from moderation.models.evidence import OPEN
from moderation.models.scores import RouteChoice
from moderation.operations.cases import claims, review
from moderation.operations.evidence import browse, opening
from moderation.operations.evidence import collect as evidence_collect
from moderation.operations.evidence.fetch import Means
from moderation.operations.infrastructure import transactions
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingPost
from moderation.operations.scoring import route
from moderation.operations.similarity import text_groups

_RELEASE = "simulated"
_ROUNDS = 60
_PAUSE = timedelta(seconds=1)


@transactions.required
def accept(
    *, platform: Platform, posts: Sequence[IncomingPost], at: datetime
) -> list[ingest.Accepted | ingest.Refused]:
    """Store posts and compare them with earlier ones, which scoring would do otherwise.

    Call inside a transaction.
    """
    answers = ingest.store(platform=platform, posts=posts, at=at)
    revision_ids = [answer.revision_id for answer in answers if isinstance(answer, ingest.Accepted)]
    rows = (
        Revision.objects.filter(pk__in=revision_ids)
        .select_related("post", "scoring", "grouped")
        .order_by("pk")
    )
    text_groups.backfill(revisions=list(rows))
    return answers


@transactions.required
def judge(
    *,
    revision: Revision,
    is_spam: bool,
    moderator: User,
    at: datetime,
    opinions: Mapping[str, float | None] = MappingProxyType({}),
) -> Decision:
    """Open a case for the revision, claim it and decide it, as the desk does. Call inside a transaction.

    The case needs a score to stand on: it says 0.5 under a release named `simulated`, and `opinions` are what
    the parts of a release make of the post, if one was asked.
    """
    score = Score.objects.create(
        revision=revision,
        generation=revision.scoring.generation,
        release=_release(at=at),
        scored_at=at,
        record={},
        schema_hash="",
        features=[],
        spam_probability=0.5,
        sub_models=dict(opinions),
        route=RouteChoice.REVIEW,
    )
    route.apply(scores=[score], at=at)
    case = Case.objects.get(post=revision.post_id, state=CaseState.OPEN)
    claims.claim(case_id=case.pk, moderator=moderator, at=at)
    verdict = Verdict.SPAM if is_spam else Verdict.NOT_SPAM
    return review.decide(
        case_id=case.pk, case_version=case.version, moderator=moderator, verdict=verdict, at=at
    )


@transactions.required
def collect(*, revision_ids: Sequence[int], means: Means, browses: bool, at: datetime) -> datetime:
    """Collect what revisions lead to, as the worker does, step by step; return when it was all there.

    With `browses` links are opened as a browser, too. Sites that are asked too often wait as they would. Call
    inside a transaction.
    """
    carrying = Q(post_links__isnull=False) | ~Q(media_urls=[])
    ours = list(
        Revision.objects.filter(carrying, pk__in=revision_ids).distinct().values_list("pk", flat=True)
    )
    EvidenceRequest.objects.bulk_create(
        [EvidenceRequest(revision_id=pk, enqueued_at=at, since=at) for pk in sorted(ours)]
    )
    if browses:
        opening.write_down(browse.of(opening.links_of(ours)), at=at)
    for _ in range(_ROUNDS if ours else 0):
        opening.run(revision_ids=ours, at=at)
        rows = Evidence.objects.filter(revisions__revision__in=ours, state__in=OPEN).distinct()
        due = list(rows.order_by("pk").values_list("pk", flat=True))
        if not due and not EvidenceRequest.objects.filter(revision__in=ours, opened_at__isnull=True).exists():
            break
        for evidence_id in due:
            evidence_collect.run(evidence_id=evidence_id, at=at, means=means)
        at += _PAUSE
    return at


def _release(*, at: datetime) -> Release:
    return Release.objects.get_or_create(
        pk=_RELEASE, defaults={"manifest": {"simulated": True}, "first_used_at": at}
    )[0]
