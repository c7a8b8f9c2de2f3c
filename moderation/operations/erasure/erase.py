"""Erase posts and authors. Verdicts, labels and counts stay, without words or addresses.

What is wiped where is listed in docs/api-guide.md, "Erase a post or an author".
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.postgres.functions import RandomUUID
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.module_loading import import_string

from moderation.models import (
    Author,
    AuthorBand,
    AuthorDeletion,
    Case,
    Decision,
    Erasure,
    Label,
    Platform,
    Post,
    Revision,
    RevisionGroup,
    Score,
    ScoringJob,
    ShadowScore,
    SimilarityBand,
    Translation,
)
from moderation.models.cases import CaseState
from moderation.models.erasures import ErasureCause, ErasureKind, name_digest
from moderation.models.posts import ScoreState
from moderation.operations import rules
from moderation.operations.accounts import sessions
from moderation.operations.audit import entries
from moderation.operations.campaigns import gather
from moderation.operations.erasure import forget, kept_traits
from moderation.operations.evidence import sent_pictures
from moderation.operations.infrastructure import idempotency, transactions
from moderation.operations.labels import exports
from scoring import similarity

_audit_author, _audit_platform = entries.writer("author"), entries.writer("platform")
CHUNK = 500
_CHUNKS_AT_ONCE = 20
MOST = CHUNK * _CHUNKS_AT_ONCE
AFTER_DELETION = timedelta(days=7)
"""How long posts of an author who deleted the account wait for a verdict."""
_UNFINISHED_FOR = timedelta(days=7)
_UNSCORED = (ScoreState.PENDING, ScoreState.SCORING, ScoreState.DEGRADED)


def post(*, post_id: int, at: datetime) -> Erasure:
    """Erase one post with its revisions; a second time changes nothing. Raises Post.DoesNotExist."""
    with transaction.atomic():
        row = Post.objects.select_related("platform").get(pk=post_id)
        _wipe([row.pk], at=at)
        # Behind the lock on the post: of two requests the second finds the row of the first.
        erasure = Erasure.objects.filter(kind=ErasureKind.POST, subject_id=row.pk).first()
        if erasure is None:
            erasure = _of_post(row, platform=row.platform, cause=ErasureCause.REQUEST, at=at)
            erasure.save()
            _audit(erasure, at=at)
    return erasure


def author(*, platform: Platform, external_id: str, at: datetime) -> Erasure:
    """Erase an author with all posts; of very many, the rest follows with `expired`.

    A second time changes nothing. Raises Author.DoesNotExist.
    """
    digest = name_digest(platform=platform, external_id=external_id)
    with transaction.atomic():
        row = Author.objects.select_for_update().filter(platform=platform, external_id=external_id).first()
        if row is None:
            erasures = Erasure.objects.filter(platform=platform, kind=ErasureKind.AUTHOR, name_digest=digest)
            earlier = erasures.order_by("-id").first()
            if earlier is None:
                raise Author.DoesNotExist
            return earlier
        wipe_author(row, at=at)
        erasure = Erasure.objects.create(
            platform=platform,
            kind=ErasureKind.AUTHOR,
            subject_id=row.pk,
            name_digest=digest,
            cause=ErasureCause.REQUEST,
            erased_at=at,
        )
        _audit(erasure, at=at)
    _finish(erasure, at=at)
    erasure.refresh_from_db()
    return erasure


def after_verdict(*, platform: Platform, external_id: str, at: datetime) -> AuthorDeletion:
    """Record that an author deleted the account; `expired` erases the author once waiting posts are decided.

    A second time changes nothing. Raises Author.DoesNotExist.
    """
    with transaction.atomic():
        author = Author.objects.select_for_update(no_key=True).get(platform=platform, external_id=external_id)
        row, is_new = AuthorDeletion.objects.get_or_create(author=author, defaults={"deleted_at": at})
        if is_new:
            _audit_author("author.deleted", author, actor=None, at=at)
    return row


def expired(*, at: datetime) -> int:
    """Erase posts past retention, authors who are gone and their remaining posts, words of rules that ended
    long ago, digests of spam that is old enough, and sessions that are over. Return how many posts.
    """
    sessions.forget_expired(at=at)
    rules.forget_ended(at=at)
    kept_traits.forget_old(at=at)
    for account in _gone(at=at):
        with suppress(Author.DoesNotExist):  # erased a moment ago
            author(platform=account.platform, external_id=account.external_id or "", at=at)
    count = 0
    for platform in Platform.objects.filter(text_retention_days__isnull=False):
        old = Post.objects.filter(received_at__lt=at - timedelta(days=platform.text_retention_days or 0))
        count += posts_of(platform, among=old, cause=ErasureCause.RETENTION, at=at)
    recent = Erasure.objects.filter(kind=ErasureKind.AUTHOR, erased_at__gt=at - _UNFINISHED_FOR)
    return count + sum(_finish(erasure, at=at) for erasure in recent.order_by("id"))


def _gone(*, at: datetime) -> list[Author]:
    """Return authors who deleted their accounts and of whom nothing waits, or has waited too long."""
    by_author = {"post__author": OuterRef("author")}
    open_cases = Case.objects.filter(**by_author, state=CaseState.OPEN)
    unread = Revision.objects.filter(**by_author, scoring__state__in=_UNSCORED)
    undoable = Decision.objects.filter(**by_author, effective_at__gt=at)
    is_over = Q(deleted_at__lte=at - AFTER_DELETION)
    is_decided = ~Exists(open_cases) & ~Exists(unread) & ~Exists(undoable)
    rows = AuthorDeletion.objects.filter(is_over | is_decided).select_related("author__platform")
    return [row.author for row in rows.order_by("deleted_at", "pk")[:CHUNK]]


def posts_of(platform: Platform, *, among: QuerySet[Post], cause: ErasureCause, at: datetime) -> int:
    """Erase posts of a platform, the oldest first and no more than MOST; return how many."""
    rows = among.filter(platform=platform, erased_at__isnull=True).order_by("received_at")
    count = 0
    for _ in range(_CHUNKS_AT_ONCE):
        with transaction.atomic():
            posts = list(rows[:CHUNK])
            _wipe([row.pk for row in posts], at=at)
            Erasure.objects.bulk_create(
                [_of_post(row, platform=platform, cause=cause, at=at) for row in posts],
                ignore_conflicts=True,
            )
            if posts:
                action = "posts.expired" if cause == ErasureCause.RETENTION else "posts.deleted"
                _audit_platform(action, platform, actor=None, at=at, posts=len(posts))
        count += len(posts)
        if len(posts) < CHUNK:
            break
    return count


def _of_post(row: Post, *, platform: Platform, cause: ErasureCause, at: datetime) -> Erasure:
    return Erasure(
        platform=platform,
        kind=ErasureKind.POST,
        subject_id=row.pk,
        name_digest=name_digest(platform=platform, external_id=row.external_id),
        cause=cause,
        posts=1,
        erased_at=at,
    )


def _finish(erasure: Erasure, *, at: datetime) -> int:
    rows = Post.objects.filter(author=erasure.subject_id, erased_at__isnull=True).order_by("id")
    count = 0
    for _ in range(_CHUNKS_AT_ONCE):
        with transaction.atomic():
            posts = list(rows.values_list("pk", flat=True)[:CHUNK])
            _wipe(posts, at=at)
            Erasure.objects.filter(pk=erasure.pk).update(posts=F("posts") + len(posts))
        count += len(posts)
        if len(posts) < CHUNK:
            break
    return count


@transactions.required
def wipe_author(row: Author, *, at: datetime) -> None:
    """Wipe what is known of an author, posts aside. Call inside a transaction."""
    forget.author(row)
    AuthorDeletion.objects.filter(author=row).delete()
    AuthorBand.objects.filter(author=row).delete()
    rules.forget_author(author_id=row.pk, at=at)
    idempotency.forget(subjects=[f"author:{row.pk}"])
    # The platform's id must not refer to this row any more: if it posts again, it is a new author.
    row.external_id, row.display_name, row.erased_at = None, "", at
    row.save(update_fields=("external_id", "display_name", "erased_at"))


def _wipe(post_ids: Sequence[int], *, at: datetime) -> None:
    """Wipe posts. Locks posts before anything else, as ingest and scoring do."""
    if not post_ids:
        return
    # First: it takes the campaign lock, which comes before posts in the lock order, and it counts down traits
    # by the rows that are wiped below.
    kept_ids = kept_traits.worth_keeping(post_ids, at=at)
    gather.forget(post_ids=post_ids, kept=kept_ids, at=at)
    ids, answers = set(post_ids), forget.answers(post_ids)
    rows = Post.objects.select_for_update(no_key=True).filter(pk__in=ids.union(answers))
    posts = [pk for pk in rows.order_by("id").values_list("pk", flat=True) if pk in ids]
    forget.answered(posts, answers=answers)
    revisions = Revision.objects.filter(post__in=posts)
    bands = _bands(revisions)
    # Pictures that came with posts and were not read yet, before their names are wiped.
    sent_pictures.forget(revisions.exclude(media_urls=[]).values_list("media_urls", flat=True))
    kept_traits.keep(kept_ids)
    _wipe_revisions(revisions)
    RevisionGroup.objects.filter(revision__in=revisions.exclude(post__in=kept_ids)).update(
        similarity_group=RandomUUID()
    )
    _forget_bands(bands, posts=posts)
    forget.links(posts, kept=kept_ids)
    forget.evidence(posts, kept=kept_ids)
    Translation.objects.filter(revision__post__in=posts).delete()
    Score.objects.filter(revision__post__in=posts).update(
        record={"erased": True},
        **dict.fromkeys(("content_score", "word_contributions", "evidence_words")),
        counterfactual={"impossible": "erased"},
    )
    ShadowScore.objects.filter(score__revision__post__in=posts).delete()
    forget.around_posts(posts)
    import_string(settings.INTEGRATION_FORGET)(post_ids=posts)
    exports.withdraw(post_ids=posts)
    Label.objects.filter(post__in=posts).update(similarity_group=RandomUUID())
    Case.objects.filter(post__in=posts, state=CaseState.OPEN).update(
        state=CaseState.WITHDRAWN, closed_at=at, claimed_by=None, lease_end_at=None
    )
    Post.objects.filter(pk__in=posts, erased_at__isnull=True).update(erased_at=at)
    forget.account_ids(posts)
    # Last: a request that still answers about one of these posts holds its row lock, or that of its case.
    idempotency.forget(subjects=[f"post:{post}" for post in posts])


def _wipe_revisions(revisions: QuerySet[Revision]) -> None:
    jobs = ScoringJob.objects.filter(revision__in=revisions, state__in=(*_UNSCORED, ScoreState.DEAD))
    jobs.update(state=ScoreState.SUPERSEDED, lease_until=None)
    revisions.update(
        text="",
        links=[],
        media_urls=[],
        transcripts=[],
        parent_external_id="",
        parent_text="",
        parent_author=None,
        author_snapshot={},
        ip=None,
        ip_network="",
        ip_asn=None,
        user_agent="",
        journey="[]",
        body_digest="",
        text_digest="",
    )


def _bands(revisions: QuerySet[Revision]) -> set[int]:
    texts = revisions.exclude(text="").values_list("text", flat=True)
    return {digest for text in texts for digest in similarity.bands(text)}


def _forget_bands(digests: set[int], *, posts: Sequence[int]) -> None:
    """Delete the similarity bands whose group has no remaining post; erased ones have keyed bands, if any."""
    neighbours = RevisionGroup.objects.filter(
        similarity_group=OuterRef("similarity_group"), post__erased_at__isnull=True
    ).exclude(post__in=posts)
    SimilarityBand.objects.filter(~Exists(neighbours), digest__in=digests).delete()


def _audit(erasure: Erasure, *, at: datetime) -> None:
    entries.add(
        action=f"{erasure.kind}.erased",
        subject_kind=erasure.kind,
        subject_id=erasure.subject_id,
        actor=None,
        at=at,
        cause=erasure.cause,
    )
