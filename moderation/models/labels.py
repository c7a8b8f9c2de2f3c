"""Labels: decisions as training targets."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from moderation.models.decisions import Decision
from moderation.models.posts import Post


class Label(models.Model):
    """A human decision as a training target. Retracted labels stay, so that later exports can say so."""

    decision = models.OneToOneField(Decision, on_delete=models.CASCADE, related_name="label")
    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="labels")
    is_spam = models.BooleanField()
    similarity_group = models.UUIDField()
    rests_on_evidence = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Spam by what the post leads to or shows; its words alone had said nothing.",
    )
    labelled_at = models.DateTimeField()
    retracted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("labelled_at", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("post",), condition=Q(retracted_at__isnull=True), name="one_live_label_per_post"
            ),
        )
        indexes = (models.Index(fields=("labelled_at", "id"), name="label_by_time"),)

    def __str__(self) -> str:
        return f"{self.post_id}: {'spam' if self.is_spam else 'not spam'}"
