"""Who knows what was said of a post, and so cannot judge it blindly."""

from __future__ import annotations

from django.db.models import Q

from moderation.models import BlindReview, CaseNote, Decision, GoldenItem, Post, Revision, User


def who_know(post: Post) -> list[int]:
    """Return the users who decided a post or one like it, judged it blindly, or wrote about it.

    Of a golden item also every lead: they read the list of these items.
    """
    groups = post.revisions.exclude(similarity_group=None).values("similarity_group")
    near = Revision.objects.filter(similarity_group__in=groups).values("post")
    alike = Q(post=post) | Q(post__in=near)
    deciders = Decision.objects.filter(alike, decided_by__isnull=False).values_list("decided_by", flat=True)
    judges = BlindReview.objects.filter(alike, answered_by__isnull=False)
    writers = CaseNote.objects.filter(case__post=post).values_list("author", flat=True)
    known = {*deciders, *judges.values_list("answered_by", flat=True), *writers}
    if GoldenItem.objects.filter(post=post, retired_at__isnull=True).exists():
        known |= {user.pk for user in User.objects.filter(is_active=True) if user.may_lead}
    return sorted(known)
