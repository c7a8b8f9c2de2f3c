"""Keep keyed digests of erased spam for as long as a campaign may live: its copies are recognised by them.

The key is the installation's: without it nobody can tell whether a text, link or picture is among them.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.postgres.functions import RandomUUID
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from moderation.models import KeptTraits, Post, PostLink, Revision, SimilarityBand, desk_settings
from moderation.models.similarity import RevisionGroup
from moderation.operations.campaigns import gather
from moderation.operations.infrastructure import transactions
from moderation.operations.similarity import picture_groups, text_groups
from moderation.queries import outcome_counts
from moderation.queries.campaigns.shared_traits import keyed
from scoring import similarity

_CHUNK, _CHUNKS_AT_ONCE = 500, 20


def worth_keeping(post_ids: Collection[int], *, at: datetime) -> set[int]:
    """Return the posts that were decided as spam, or are in a campaign and not decided otherwise by a person.

    Only those of the last `digest_days` of the desk's settings, and those kept before.
    """
    recent = Post.objects.filter(pk__in=post_ids, received_at__gt=at - _longest())
    in_campaign = Q(membership__isnull=False, membership__left_out_at=None) & ~Q(said="moderator:not_spam")
    spam_posts = recent.annotate(said=outcome_counts.standing(post="pk")).filter(
        Q(said__endswith=":spam") | in_campaign, erased_at=None
    )
    earlier = KeptTraits.objects.filter(pk__in=post_ids)
    return {*spam_posts.values_list("pk", flat=True), *earlier.values_list("pk", flat=True)}


@transactions.required
def keep(post_ids: Collection[int]) -> None:
    """Put posts into groups that keyed bands lead to; `forget` does likewise with links and pictures.

    Call with the posts locked, before their texts are wiped.
    """
    rows = {
        post.pk: KeptTraits(post=post, received_at=post.received_at)
        for post in Post.objects.filter(pk__in=post_ids)
    }
    revisions = list(Revision.objects.filter(post__in=post_ids).exclude(text=""))
    bands = [tuple(map(keyed, similarity.bands(revision.text))) for revision in revisions]
    groups = text_groups.of_bands(bands)
    for revision, of_text in zip(revisions, bands, strict=True):
        rows[revision.post_id].bands.extend(of_text)
    RevisionGroup.objects.bulk_create(
        map(text_groups.grouped, revisions, groups),
        update_conflicts=True,
        unique_fields=["revision"],
        update_fields=["similarity_group"],
    )
    KeptTraits.objects.bulk_create(rows.values(), ignore_conflicts=True)


def forget_old(*, at: datetime) -> None:
    """Forget the digests of posts that came longer ago than they are kept."""
    expired = KeptTraits.objects.filter(received_at__lte=at - _longest()).order_by("received_at", "pk")
    for _ in range(_CHUNKS_AT_ONCE):
        with transaction.atomic():
            rows = list(expired[:_CHUNK])
            _forget(rows, at=at)
        if len(rows) < _CHUNK:
            return


def _forget(rows: list[KeptTraits], *, at: datetime) -> None:
    posts = [row.pk for row in rows]
    gather.forget(post_ids=posts, kept=(), at=at)
    RevisionGroup.objects.filter(revision__post__in=posts).update(similarity_group=RandomUUID())
    PostLink.objects.filter(revision__post__in=posts).update(url_digest="")
    picture_groups.forget(posts)
    KeptTraits.objects.filter(pk__in=posts).delete()
    other_traits = RevisionGroup.objects.filter(
        similarity_group=OuterRef("similarity_group"), post__kept_traits__isnull=False
    )
    digests = {digest for row in rows for digest in row.bands}
    SimilarityBand.objects.filter(~Exists(other_traits), digest__in=digests).delete()


def _longest() -> timedelta:
    return timedelta(days=desk_settings.current().digest_days)
