"""The audit log: who did what, when. Rows are only ever added."""

from django.db import models
from django.db.models import Q

from moderation.models.person import optional_user


class AuditEntry(models.Model):
    """One act. The database refuses to change or delete an entry (see the migration's trigger)."""

    at = models.DateTimeField()
    actor = optional_user(related_name="audit_entries", has_index=False)
    action = models.CharField(max_length=40)
    subject_kind = models.CharField(max_length=20)
    subject_id = models.CharField(max_length=64)
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ("id",)
        verbose_name_plural = "audit entries"
        indexes = (
            models.Index(fields=("subject_kind", "subject_id", "id"), name="audit_of_subject"),
            # The pages of the log. Most entries are automatic decisions: the partial indexes do without them.
            # This one ascends, and is read backwards: what grows at its end splits no page in two halves.
            models.Index(fields=("at", "id"), name="audit_newest"),
            models.Index(
                fields=("actor", "-at", "-id"), name="audit_by_actor", condition=Q(actor__isnull=False)
            ),
            models.Index(
                fields=("action", "-at", "-id"),
                name="audit_by_action",
                condition=~Q(action="decision.created"),
            ),
        )


class AuditLink(models.Model):
    """An entry's link in the hash chain, which cannot be rewritten unnoticed once its head is kept elsewhere.

    The entry's id is no foreign key: the link survives its entry, and so shows a deletion.
    """

    number = models.PositiveBigIntegerField(primary_key=True, help_text="1, 2, 3… without a gap.")
    entry_id = models.BigIntegerField(unique=True)
    hash = models.CharField(max_length=64, help_text="SHA-256 over the previous hash and the entry, in hex.")
    sealed_at = models.DateTimeField()

    class Meta:
        ordering = ("number",)
