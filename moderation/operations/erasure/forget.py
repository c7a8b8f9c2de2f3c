"""Erase what was written about posts and authors: notes, reasons, appeals, messages, links and what they lead
to, saved filters.

Called by `erase`, inside its transactions.
"""

import re
import uuid
from collections.abc import Collection, Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import QueryDict

from moderation.models import (
    Appeal,
    Author,
    AuthorNote,
    BlindReview,
    CampaignDecision,
    CaseNote,
    Complaint,
    Decision,
    Delivery,
    Evidence,
    EvidenceRequest,
    GoldenItem,
    LinkVerdict,
    PolicyMatch,
    Post,
    PostLink,
    Reversal,
    Revision,
    RevisionEvidence,
    SavedFilter,
)
from moderation.models.posts import ACCOUNT_PREFIX, Subject
from moderation.models.webhooks import WebhookEvent
from moderation.operations.evidence import thumbnails
from moderation.operations.similarity import picture_groups
from moderation.queries.campaigns.shared_traits import keyed_link

_UNDONE = "undone"
_REPEATS = ~Q(parent_text="") | Q(parent_author__isnull=False)


def around_posts(post_ids: Sequence[int]) -> None:
    """Wipe what was written about posts, whoever wrote it. Call with the posts locked."""
    Complaint.objects.filter(post__in=post_ids).update(note="", external_id="")
    PolicyMatch.objects.filter(post__in=post_ids).delete()
    CaseNote.objects.filter(case__post__in=post_ids).update(text="")
    BlindReview.objects.filter(post__in=post_ids).update(note="", settled_note="")
    GoldenItem.objects.filter(post__in=post_ids).update(note="")
    Appeal.objects.filter(post__in=post_ids).update(reason="", external_id="")
    decisions = Decision.objects.filter(post__in=post_ids)
    _wipe_notes(decisions)
    _forget_campaign_notes(decisions.exclude(campaign_decision=None))
    deliveries = Delivery.objects.filter(post__in=post_ids, event=WebhookEvent.APPEAL_DECIDED)
    _blank(deliveries, name="external_id")


def account_ids(post_ids: Sequence[int]) -> None:
    """Give accounts among erased posts an id that names nobody; the next complaint about one starts anew."""
    for post in Post.objects.filter(pk__in=post_ids, subject=Subject.ACCOUNT):
        post.external_id = f"{ACCOUNT_PREFIX}{uuid.uuid4()}"
        post.save(update_fields=("external_id",))
        post.complaints.update(post_external_id=post.external_id)
        told = list(post.deliveries.filter(body__data__has_key="post"))
        for row in told:
            row.body["data"]["post"] |= {"external_id": post.external_id, "account": ""}
        Delivery.objects.bulk_update(told, ["body"], batch_size=500)


def answers(post_ids: Sequence[int]) -> list[int]:
    """Return the posts that answer these posts and repeat something of them."""
    return list(_repeating(post_ids).values_list("post", flat=True).distinct())


def answered(post_ids: Sequence[int], *, answers: Sequence[int]) -> None:
    """Wipe what answers repeat of these posts. Call with both locked."""
    _repeating(post_ids).filter(post__in=answers).update(parent_text="", parent_author=None)


def links(post_ids: Sequence[int], *, kept: Collection[int]) -> None:
    """Wipe the URLs that posts linked to, and the reputation of those that no other post has.

    A keyed digest takes the place of each link of posts whose traits are `kept`.
    """
    rows = PostLink.objects.filter(revision__post__in=post_ids)
    digests = set(rows.exclude(url="").values_list("url_digest", flat=True))
    kept_links = list(rows.filter(revision__post__in=kept).exclude(url=""))
    rows.exclude(revision__post__in=kept).update(url_digest="")
    rows.update(url="", host="")
    for row in kept_links:
        row.url_digest = keyed_link(row.url_digest)
    PostLink.objects.bulk_update(kept_links, ["url_digest"], batch_size=500)
    other_links = PostLink.objects.filter(url_digest=OuterRef("subject"))
    LinkVerdict.objects.filter(~Exists(other_links), subject__in=digests).delete()


def evidence(post_ids: Sequence[int], *, kept: Collection[int]) -> None:
    """Delete evidence that no other post has. Call with the posts locked.

    Which pictures the posts in `kept` showed stays known. Files are deleted after the commit.
    """
    EvidenceRequest.objects.filter(revision__post__in=post_ids).delete()
    picture_groups.forget([post for post in post_ids if post not in kept])
    picture_groups.keep(kept)
    joins = RevisionEvidence.objects.filter(revision__post__in=post_ids)
    evidence_ids = list(joins.order_by("evidence").values_list("evidence", flat=True).distinct())
    joins.delete()
    # Locked before it is asked who else carries it: another post may be joined to it at this moment.
    rows = Evidence.objects.select_for_update().filter(pk__in=evidence_ids).order_by("id")
    locked_ids = list(rows.values_list("pk", flat=True))
    other_joins = RevisionEvidence.objects.filter(evidence=OuterRef("pk"))
    orphans = Evidence.objects.filter(~Exists(other_joins), pk__in=locked_ids)
    files = list(orphans.exclude(thumbnail="").values_list("thumbnail", flat=True))
    orphans.delete()
    if files:
        transaction.on_commit(lambda: thumbnails.drop_unnamed(files), robust=True)


def author(row: Author) -> None:
    """Wipe what names an author: complaints, notes and messages about them, their names in saved filters."""
    Complaint.objects.filter(reporter=row).update(note="", external_id="")
    AuthorNote.objects.filter(author=row).update(text="")
    answers = Revision.objects.filter(parent_author=row)
    # In order, as `erase` locks posts, so that the two cannot deadlock.
    posts = Post.objects.select_for_update(no_key=True).filter(pk__in=answers.values("post")).order_by("id")
    answers.filter(post__in=list(posts)).update(parent_text="", parent_author=None)
    rules = [str(pk) for pk in row.rules.values_list("pk", flat=True)]
    if rules:
        deliveries = Delivery.objects.filter(platform=row.platform_id, event=WebhookEvent.RULE_ACTIVATED)
        _blank(deliveries.filter(body__data__id__in=rules), name="value")
    _forget_in_filters([name for name in (row.external_id, row.display_name) if name])


def _forget_in_filters(names: Sequence[str]) -> None:
    """Take names out of saved filters. A filter stays, under a name that tells its owner what happened.

    Names are chosen by authors, "spam" and "waiting" among them: only whole words count, in what is searched
    for and in the filter's own name, and nobody loses a filter.
    """
    if not names:
        return
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names), re.IGNORECASE)
    for row in SavedFilter.objects.order_by("id"):
        query = QueryDict(row.query, mutable=True)
        if pattern.search(query.get("q") or ""):
            del query["q"]
        elif not pattern.search(row.name):
            continue
        row.name, row.query = f"erased author {row.pk}", query.urlencode()
        row.save(update_fields=("name", "query"))


def _repeating(post_ids: Sequence[int]) -> QuerySet[Revision]:
    parents = Post.objects.filter(pk__in=post_ids)
    repeating = Revision.objects.filter(_REPEATS).exclude(parent_external_id="")
    return repeating.filter(
        parent_external_id__in=list(parents.values_list("external_id", flat=True)),
        post__platform__in=parents.values("platform"),
    )


def _forget_campaign_notes(decisions: QuerySet[Decision]) -> None:
    """Wipe notes on whole campaigns, which every decision of the campaign repeats."""
    campaigns = CampaignDecision.objects.filter(pk__in=decisions.values("campaign_decision")).exclude(note="")
    ids = list(campaigns.values_list("pk", flat=True))
    if ids:
        _wipe_notes(Decision.objects.filter(campaign_decision__in=ids))
        CampaignDecision.objects.filter(pk__in=ids).update(note="")


def _wipe_notes(decisions: QuerySet[Decision]) -> None:
    reversals = Reversal.objects.filter(decision__in=decisions) | Reversal.objects.filter(
        replacement__in=decisions
    )
    reversals.exclude(reason__in=("", _UNDONE)).update(reason="")
    decisions.exclude(note="").update(note="")


def _blank(deliveries: QuerySet[Delivery], *, name: str) -> None:
    """Remove one value from messages, also from those not sent yet; the rest is what the platform needs."""
    rows = list(deliveries)
    for row in rows:
        row.body["data"][name] = ""
    Delivery.objects.bulk_update(rows, ["body"], batch_size=500)
