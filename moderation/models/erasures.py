"""Erasures: when and why something was erased, not its content; authors who deleted their accounts."""

from django.db import models
from django.db.models import Q
from django.utils.crypto import salted_hmac

from moderation.models.platforms import Platform
from moderation.models.posts import Author


class ErasureKind(models.TextChoices):
    """What was erased."""

    POST = "post"
    AUTHOR = "author"
    PLATFORM = "all"  # of a platform: the column takes six letters


class ErasureCause(models.TextChoices):
    """Somebody asked for it, the text was older than its platform keeps texts, or that was deleted."""

    REQUEST = "request"
    RETENTION = "retention"
    DELETION = "deletion"


class Erasure(models.Model):
    """One post, author or platform that was erased; it brings a restored backup up to date."""

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="erasures")
    kind = models.CharField(max_length=6, choices=ErasureKind.choices)
    subject_id = models.BigIntegerField(help_text="Our id of what was erased.")
    name_digest = models.CharField(max_length=64, help_text="Keyed digest of the platform's id.")
    cause = models.CharField(max_length=9, choices=ErasureCause.choices)
    posts = models.PositiveIntegerField(default=0)
    erased_at = models.DateTimeField()
    journalled_at = models.DateTimeField(
        null=True, help_text="When a request went into the journal outside the database."
    )

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("kind", "subject_id"), name="erasure_once_per_subject"),
        )
        indexes = (
            models.Index(fields=("platform", "kind", "name_digest"), name="erasure_by_name"),
            models.Index(
                fields=("id",),
                name="erasure_to_journal",
                condition=Q(cause="request", journalled_at__isnull=True),
            ),
        )


def name_digest(*, platform: Platform, external_id: str) -> str:
    """Return the keyed digest by which an erased name is recognised, but cannot be read."""
    return salted_hmac("erasure", f"{platform.pk}:{external_id}", algorithm="sha256").hexdigest()


class AuthorDeletion(models.Model):
    """An author's deleted account: waiting posts are offered for a verdict, then the author is erased."""

    author = models.OneToOneField(Author, on_delete=models.CASCADE, related_name="deletion", primary_key=True)
    deleted_at = models.DateTimeField()
