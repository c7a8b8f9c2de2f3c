"""Store complaints. Idempotent: a reporter counts once per post."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F

from moderation import prepared
from moderation.models import Case, Complaint, Platform, Post, Revision
from moderation.models.cases import CaseState
from moderation.operations import rescore
from moderation.operations.evidence import renew
from moderation.operations.infrastructure import advisory_locks, transactions
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.operations.posts import sql
from moderation.operations.refusals import Erased

_ATTACH = """
UPDATE moderation_complaint c SET post_id = k.id
FROM unnest(%(ids)s::bigint[], %(names)s::text[]) AS k(id, external_id)
WHERE c.platform_id = %(platform)s AND c.post_external_id = k.external_id AND c.post_id IS NULL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingComplaint:
    """A validated complaint; `post` and `reporter` are the platform's own ids."""

    reporter: str
    reason: str
    reported_at: datetime
    post: str = ""
    external_id: str = ""
    note: str = ""
    is_automated: bool = False


def record(*, platform: Platform, complaint: IncomingComplaint, at: datetime) -> Complaint:
    """Store a complaint once per reporter and post, and score the post again when complaints have doubled.

    Raises Erased if the post was erased.
    """
    with transaction.atomic():
        post = _post(platform=platform, external_id=complaint.post)
        # The author before the post, as ingest locks them; both stay as they are until we commit.
        reporter = sql.authors(platform=platform, names={complaint.reporter: ""}, at=at)
        if post is not None and not transactions.lock_posts(pk=post.pk):
            raise Erased("The post was erased; complaints about it are not taken in any more.")
        row, is_new = Complaint.objects.get_or_create(
            platform=platform,
            post_external_id=complaint.post,
            reporter_id=reporter[complaint.reporter],
            defaults={
                "post": post,
                "external_id": complaint.external_id,
                "reason": complaint.reason,
                "note": complaint.note,
                "is_automated": complaint.is_automated,
                "reported_at": complaint.reported_at,
                "received_at": at,
            },
        )
        if is_new and post is not None:
            renew.after_complaint(post, platform=platform, at=at)
            _rescore_if_doubled(post=post, at=at)
            # After the revision, as scoring locks them, so that the two cannot deadlock.
            Case.objects.filter(post=post, state=CaseState.OPEN).update(
                complaint_count=F("complaint_count") + 1
            )
    return row


def lock_platform(*, platform: Platform, may_be_early: bool) -> None:
    """Serialise storing posts and storing complaints that arrive before their post.

    Neither sees the other's uncommitted row: run concurrently, the complaint would find no post, the post no
    complaint, and they would never be joined. Posts take the lock shared and never wait for each other. Call
    it before any row lock (lock order), to avoid a deadlock.
    """
    advisory_locks.take(AdvisoryLock.INTAKE, subject_id=platform.pk, is_shared=not may_be_early)


@transactions.required
def attach_to_posts(*, platform: Platform, posts: Sequence[Post]) -> None:
    """Join complaints that came before their posts. Call inside the transaction that stored the posts."""
    if posts:
        prepared.run(
            _ATTACH,
            platform=platform.pk,
            ids=[post.pk for post in posts],
            names=[post.external_id for post in posts],
        )


def _post(*, platform: Platform, external_id: str) -> Post | None:
    """Find the post; if there is none, wait for the posts being stored right now and look again."""
    own = Post.objects.filter(platform=platform, external_id=external_id)
    post = own.first()
    if post is None:
        lock_platform(platform=platform, may_be_early=True)
        post = own.first()
    return post


def _rescore_if_doubled(*, post: Post, at: datetime) -> None:
    """Score again at 1, 2, 4, 8… complaints: a brigade of thousands costs a dozen scorings, not thousands."""
    count = post.complaints.count()
    if count & (count - 1):
        return
    latest = Revision.objects.filter(post=post, number=post.latest_revision)
    rescore.again(latest.values_list("pk", flat=True), at=at)
