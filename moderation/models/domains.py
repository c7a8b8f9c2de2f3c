"""Registrable domains and the links that lead to them."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import models
from django.db.models import F, Value
from django.db.models.functions import Replace

from moderation.models.posts import Revision


def words_of_a_name() -> Replace:
    """Return the expression that splits `cheap-pills.example` into words; unsplit, search sees one host."""
    return Replace(Replace(F("name"), Value("."), Value(" ")), Value("-"), Value(" "))


class Domain(models.Model):
    """A registrable domain, or an address used as a host, seen in a link."""

    name = models.CharField(max_length=255, unique=True)
    first_seen_at = models.DateTimeField()

    class Meta:
        ordering = ("name",)
        indexes = (GinIndex(SearchVector(words_of_a_name(), config="simple"), name="domain_search"),)

    def __str__(self) -> str:
        return self.name


class PostLink(models.Model):
    """A link of one revision."""

    revision = models.ForeignKey(
        Revision, on_delete=models.CASCADE, related_name="post_links", db_index=False
    )
    domain = models.ForeignKey(Domain, on_delete=models.CASCADE, related_name="post_links", db_index=False)
    position = models.PositiveSmallIntegerField()
    url = models.TextField()
    url_digest = models.CharField(max_length=64)
    host = models.CharField(max_length=255)
    received_at = models.DateTimeField()

    class Meta:
        ordering = ("revision_id", "position")
        constraints = (
            models.UniqueConstraint(fields=("revision", "position"), name="link_once_per_position"),
        )
        indexes = (
            models.Index(fields=("domain", "received_at"), name="link_domain_history"),
            models.Index(fields=("url_digest", "received_at"), name="link_url_history"),
        )
