"""Sessions of users as they are listed: where and when somebody signed in."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import models


class UserSession(models.Model):
    """One session of a user, from its sign-in on. Pages name it by `public_id`, never by its secret key.

    It is in force while Django's session is.
    """

    session = models.OneToOneField(
        Session, on_delete=models.CASCADE, related_name="of_user", db_constraint=False
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sessions")
    public_id = models.UUIDField(default=uuid.uuid4, unique=True)
    browser = models.CharField(max_length=20, blank=True)
    system = models.CharField(max_length=20, blank=True)
    signed_in_at = models.DateTimeField()
    used_at = models.DateTimeField()

    class Meta:
        ordering = ("-used_at", "id")

    def __str__(self) -> str:
        return f"session {self.pk} of {self.user_id}"
