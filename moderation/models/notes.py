"""Notes that people leave for each other on cases and authors, and whom those on cases name."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from moderation.models.cases import Case
from moderation.models.person import acting_user, optional_user
from moderation.models.posts import Author
from moderation.models.users import Role


class CaseNote(models.Model):
    """What somebody wanted the next person to know. Never sent to the platform."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="notes")
    author = acting_user(related_name="case_notes")
    text = models.CharField(max_length=2000)
    written_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)


class AuthorNote(models.Model):
    """What somebody wanted the next person to know of an account. Never sent to the platform."""

    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="notes")
    written_by = acting_user(related_name="author_notes")
    text = models.CharField(max_length=2000, help_text="Empty once the author was erased.")
    written_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)


class Mention(models.Model):
    """A note names a person, or a role, which is done once anybody of that role says so."""

    note = models.ForeignKey(CaseNote, on_delete=models.CASCADE, related_name="mentions")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="mentions",
        db_index=False,
    )
    role = models.CharField(max_length=16, choices=Role.choices, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    done_by = optional_user()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(
                condition=Q(user__isnull=False, role="") | (Q(user__isnull=True) & ~Q(role="")),
                name="mention_names_a_person_or_a_role",
            ),
            models.CheckConstraint(
                condition=Q(done_at__isnull=True, done_by__isnull=True)
                | Q(done_at__isnull=False, done_by__isnull=False),
                name="mention_done_by_somebody",
            ),
        )
        indexes = (
            models.Index(fields=("user", "done_at", "id"), name="mention_of_user"),
            models.Index(fields=("role", "done_at", "id"), name="mention_of_role", condition=~Q(role="")),
        )
