"""Saved filters of users."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class FilterPage(models.TextChoices):
    """The lists that can be filtered; a value is the name of the list's address."""

    QUEUE = "queue"
    POSTS = "posts"
    AUTHORS = "authors"
    DOMAINS = "domains"
    DECISIONS = "decisions"


class SavedFilter(models.Model):
    """The query string of a list, under a name of one's own."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_filters")
    page = models.CharField(max_length=10, choices=FilterPage.choices)
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=2000)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("name", "id")
        constraints = (
            models.UniqueConstraint(fields=("user", "page", "name"), name="filter_name_once_per_page"),
        )

    def __str__(self) -> str:
        return self.name
