"""Similarity: bands by which near-duplicate texts and pictures and similar accounts are found."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from moderation.models.posts import Author, Post, Revision


class SimilarityBand(models.Model):
    """One band of a near-duplicate signature and the group it leads to; one row per distinct band."""

    digest = models.BigIntegerField(primary_key=True)
    similarity_group = models.UUIDField()


class RevisionGroup(models.Model):
    """The group of a revision's text, known when it is scored: beside it, since a change would copy the
    revision and write to all of its indexes. Its post and time find the latest posts of a group.
    """

    # Written with the post locked, which is never deleted: there is nothing to check.
    revision = models.OneToOneField(
        Revision, primary_key=True, on_delete=models.CASCADE, related_name="grouped", db_constraint=False
    )
    # The revision's, copied; the revision has the constraint.
    post = models.ForeignKey(
        Post, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    similarity_group = models.UUIDField()
    received_at = models.DateTimeField()

    class Meta:
        ordering = ("revision_id",)
        indexes = (models.Index(fields=("similarity_group", "received_at"), name="group_latest"),)


class AuthorBand(models.Model):
    """One trait pair of an account as first seen; accounts that share several look alike."""

    pk = models.CompositePrimaryKey("author_id", "digest")
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="bands", db_index=False)
    digest = models.BigIntegerField()
    first_seen_at = models.DateTimeField()

    class Meta:
        ordering = ("author_id", "digest")
        indexes = (models.Index(fields=("digest", "-first_seen_at"), name="band_authors"),)


class PictureGroup(models.Model):
    """Pictures that are copies of one another; `hash` is the PDQ hash of the first of them, 64 hex digits.

    It is empty once all of them are erased.
    """

    hash = models.CharField(max_length=64, blank=True)
    first_seen_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)


class PictureBand(models.Model):
    """One of sixteen bands of a group's hash, with its place: by these its copies are found."""

    digest = models.IntegerField()
    group = models.ForeignKey(PictureGroup, on_delete=models.CASCADE, related_name="bands")

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("digest", "group"), name="picture_band_once_per_group"),
        )


class RevisionPicture(models.Model):
    """A picture of a group that a revision shows; the revision's time finds the latest of a group."""

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="pictures", db_index=False)
    group = models.ForeignKey(PictureGroup, on_delete=models.CASCADE, related_name="shown", db_index=False)
    received_at = models.DateTimeField()

    class Meta:
        ordering = ("revision_id", "group_id")
        constraints = (
            models.UniqueConstraint(fields=("revision", "group"), name="picture_once_per_revision"),
        )
        indexes = (models.Index(fields=("group", "-received_at"), name="picture_latest"),)


class KeptTraits(models.Model):
    """An erased post whose keyed digests are kept for a while, for it was spam or of a campaign.

    Its revisions keep a similarity group, to which these `bands` lead, its links keyed digests, its pictures
    their groups, and it stays a member of its campaign.
    """

    post = models.OneToOneField(Post, on_delete=models.CASCADE, related_name="kept_traits", primary_key=True)
    received_at = models.DateTimeField(db_index=True, help_text="The post's: from then on the days count.")
    bands = ArrayField(models.BigIntegerField(), default=list)
