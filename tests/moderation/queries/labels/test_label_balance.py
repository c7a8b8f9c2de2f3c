"""Counts of the labels that stand."""

from __future__ import annotations

from datetime import datetime

from moderation.models import Label, Post
from moderation.queries.labels import label_balance
from tests.moderation.conftest import Case_, Judged


def test_erased_posts_and_retracted_labels_do_not_count(
    open_case: Case_, judged_alike: Judged, at: datetime
) -> None:
    case = open_case()
    judged_alike(case, probability=0.9, spam=3, fine=2)
    first, second = Label.objects.filter(is_spam=True).order_by("pk")[:2]
    Post.objects.filter(pk=first.post_id).update(erased_at=at)
    Label.objects.filter(pk=second.pk).update(retracted_at=at)

    counted = label_balance.of(platform_id=case.post.platform_id)

    assert (counted.labels, counted.spam) == (3, 1)
