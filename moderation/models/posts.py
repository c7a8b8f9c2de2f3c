"""Posts with their revisions and translations, their authors, and the complaints about them."""

from datetime import datetime
from uuid import UUID

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Left
from django.utils.translation import gettext_lazy as _

from moderation.models.platforms import Platform

ERASED_NAME = _("(erased)")
"""Display name of an erased author, who has neither name nor id."""

SEARCHED_CHARACTERS = 50_000
"""Length of the text that the search covers, in characters."""


class Author(models.Model):
    """An account of the platform, whether it writes posts or reports them."""

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="authors", db_index=False)
    # Null, not a made-up id: no id that a platform sends may refer to an erased author or collide with one.
    external_id = models.CharField(  # noqa: DJ001 - "" would be an id that somebody could have
        max_length=200, null=True, help_text="The platform's own; null once erased."
    )
    display_name = models.CharField(max_length=200, blank=True)
    first_seen_at = models.DateTimeField()
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("platform", "external_id"), name="author_once_per_platform"),
            models.CheckConstraint(
                condition=Q(external_id__isnull=False) | Q(erased_at__isnull=False),
                name="author_has_id_until_erased",
            ),
        )
        indexes = (
            GinIndex(SearchVector("display_name", "external_id", config="simple"), name="author_search"),
        )

    def __str__(self) -> str:
        return self.shown_name

    @property
    def shown_name(self) -> str:
        """The display name: the name, else the platform's id, else a text for erased authors."""
        return self.display_name or self.external_id or str(ERASED_NAME)

    @property
    def deleted_at(self) -> datetime | None:
        """When the author deleted the account; None again once erased."""
        deletion = getattr(self, "deletion", None)
        return deletion.deleted_at if deletion else None


class Subject(models.TextChoices):
    """What a row of Post is: a post, or the profile of an account that somebody complained of."""

    POST = "post"
    ACCOUNT = "account"


ACCOUNT_PREFIX = "account:"
"""Begins the `external_id` of an account's row, before the platform's own id of the account."""


class Post(models.Model):
    """A post of a platform, or an account, which is its own author; texts and profiles are revisions."""

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="posts", db_index=False)
    external_id = models.CharField(max_length=200)
    subject = models.CharField(
        max_length=7, choices=Subject.choices, default=Subject.POST, db_default=Subject.POST
    )
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="posts", db_index=False)
    posted_at = models.DateTimeField()
    received_at = models.DateTimeField()
    latest_revision = models.PositiveIntegerField()
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("platform", "external_id"), name="post_once_per_platform"),
        )
        indexes = (
            models.Index(fields=("author", "received_at"), name="post_author_history"),
            models.Index(
                fields=("platform", "received_at"), name="post_kept", condition=Q(erased_at__isnull=True)
            ),
            # Arrivals by the hour, erased ones included.
            models.Index(fields=("received_at",), name="post_by_arrival"),
        )

    @property
    def is_account(self) -> bool:
        """Whether the row is an account, not a post."""
        return self.subject == Subject.ACCOUNT


class Revision(models.Model):
    """One version of a post, with everything that the platform sent. How it is scored is a `ScoringJob`."""

    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="revisions", db_index=False)
    number = models.PositiveIntegerField()
    received_at = models.DateTimeField()
    text = models.TextField(blank=True)
    language = models.CharField(max_length=16, blank=True)
    links = models.JSONField(default=list)
    media_urls = models.JSONField(default=list)
    transcripts = models.JSONField(
        default=list,
        db_default=Value([], models.JSONField()),
        help_text="Captions of videos: language, source, cues (from and to in milliseconds, text), is_cut.",
    )
    parent_external_id = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text="The platform's own id of the post that this one answers.",
    )
    parent_text = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="What the platform told of a parent that was not stored here.",
    )
    parent_author = models.ForeignKey(
        Author,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="answered_posts",
        db_index=False,
        help_text="Of a parent that was not stored here.",
    )
    author_snapshot = models.JSONField(default=dict)
    ip = models.GenericIPAddressField(null=True, blank=True)
    ip_network = models.CharField(max_length=64, blank=True)
    ip_asn = models.PositiveIntegerField(null=True, blank=True, help_text="The address's autonomous system.")
    user_agent = models.CharField(max_length=500, blank=True)
    journey = models.TextField(default="[]", help_text="JSON: [[step, milliseconds], …].")
    shares = models.PositiveIntegerField(null=True, blank=True)
    comments = models.PositiveIntegerField(null=True, blank=True)
    views = models.PositiveIntegerField(null=True, blank=True, help_text="No model reads them.")
    body_digest = models.CharField(max_length=64)
    text_digest = models.CharField(max_length=64)

    class Meta:
        ordering = ("post_id", "number")
        constraints = (models.UniqueConstraint(fields=("post", "number"), name="revision_once_per_post"),)
        indexes = (
            models.Index(fields=("ip", "received_at"), name="revision_ip_history"),
            models.Index(fields=("ip_network", "received_at"), name="revision_network_history"),
            models.Index(
                fields=("ip_asn", "received_at"),
                name="revision_asn_history",
                condition=Q(ip_asn__isnull=False),
            ),
            models.Index(
                KeyTextTransform("email_domain", "author_snapshot"),
                "received_at",
                name="revision_mail_history",
            ),
            # A part of the digest finds as few, in half the index.
            models.Index(Left("text_digest", 7), "post", name="revision_same_text"),
            models.Index(
                fields=("parent_external_id", "post"),
                name="revision_by_parent",
                condition=~Q(parent_external_id=""),
            ),
            models.Index(
                fields=("parent_author",),
                name="revision_by_parent_author",
                condition=Q(parent_author__isnull=False),
            ),
            # PostgreSQL refuses a search vector over 1 MB, which the longest text of short words would make.
            GinIndex(
                SearchVector(Left("text", SEARCHED_CHARACTERS), config="simple"), name="revision_search"
            ),
        )

    @property
    def similarity_group(self) -> UUID | None:
        """The group of near-duplicate texts; None until it was compared with earlier ones."""
        grouped = getattr(self, "grouped", None)
        return grouped.similarity_group if grouped else None


class ScoreState(models.TextChoices):
    """The scoring state of a revision. The row is the source of truth, the broker only a hint."""

    PENDING = "pending"
    SCORING = "scoring"
    SCORED = "scored"
    DEGRADED = "degraded"
    SUPERSEDED = "superseded"
    DEAD = "dead"


class ComplaintReason(models.TextChoices):
    """Why a user reported a post."""

    SPAM = "spam", _("spam")
    SCAM = "scam", _("scam")
    ABUSE = "abuse", _("abuse")
    ADULT = "adult", _("adult content")
    IMPERSONATION = "impersonation", _("impersonation")
    OTHER = "other", _("something else")


class Complaint(models.Model):
    """A user's report of a post. It may arrive before its post, and is attached when the post arrives."""

    # The first columns of a wider index serve them all; an index of their own would only cost writing.
    platform = models.ForeignKey(
        Platform, on_delete=models.CASCADE, related_name="complaints", db_index=False
    )
    external_id = models.CharField(max_length=200, blank=True)
    post_external_id = models.CharField(max_length=200)
    post = models.ForeignKey(
        Post, null=True, blank=True, on_delete=models.CASCADE, related_name="complaints", db_index=False
    )
    reporter = models.ForeignKey(
        Author, on_delete=models.CASCADE, related_name="complaints_made", db_index=False
    )
    reason = models.CharField(max_length=16, choices=ComplaintReason.choices)
    note = models.CharField(max_length=2000, blank=True)
    is_automated = models.BooleanField(
        db_default=False,
        help_text="Whether a machine made it: a bot or the platform's own filter. No feature reads it.",
    )
    reported_at = models.DateTimeField()
    received_at = models.DateTimeField()

    class Meta:
        ordering = ("received_at", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("platform", "post_external_id", "reporter"), name="complaint_once_per_reporter"
            ),
        )
        indexes = (
            models.Index(fields=("post", "received_at"), name="complaint_of_post"),
            models.Index(
                fields=("platform", "post_external_id"),
                name="complaint_unjoined",
                condition=Q(post__isnull=True),
            ),
            models.Index(F("reporter"), F("received_at"), name="complaint_by_reporter"),
        )


class Translation(models.Model):
    """What a service made of a revision's text in one language; deleted when the post is erased."""

    revision = models.ForeignKey(
        Revision, on_delete=models.CASCADE, related_name="translations", db_index=False
    )
    language = models.CharField(max_length=16, help_text="The language that it is in.")
    text = models.TextField(blank=True)
    translated_by = models.CharField(max_length=300)
    is_whole = models.BooleanField(help_text="Whether the whole text was sent, or its beginning.")
    translated_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("revision", "language"), name="translation_once_per_language"),
        )
