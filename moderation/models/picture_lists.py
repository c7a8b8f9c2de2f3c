"""Pictures that rules list by their hashes, and which of the pictures that were read are copies of them."""

from django.db import models

from moderation.models.evidence import Evidence
from moderation.models.rules import Rule


class ListedPicture(models.Model):
    """A PDQ hash that a rule lists, 64 hex digits; deleted 30 days after the rule's end."""

    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="pictures", db_index=False)
    hash = models.CharField(max_length=64)
    category = models.CharField(max_length=100, blank=True)
    note = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("rule", "hash"), name="picture_listed_once"),)


class PictureMatch(models.Model):
    """A picture that was read and is a copy of one that a rule lists, whether the rule is in force or not."""

    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="picture_matches")
    evidence = models.ForeignKey(
        Evidence, on_delete=models.CASCADE, related_name="picture_matches", db_index=False
    )

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("evidence", "rule"), name="picture_matched_once"),)
