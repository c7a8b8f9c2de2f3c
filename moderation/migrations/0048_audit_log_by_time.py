"""The indexes by which the audit log is read, built without holding up writers."""

from django.db import migrations, models
from django.db.models import Q

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0047_decisions_by_reason")]

    operations = [
        repeatable.AddIndexConcurrently("auditentry", models.Index(fields=("-at", "-id"), name="audit_newest")),
        repeatable.AddIndexConcurrently(
            "auditentry",
            models.Index(
                fields=("actor", "-at", "-id"), name="audit_by_actor", condition=Q(actor__isnull=False)
            ),
        ),
        repeatable.AddIndexConcurrently(
            "auditentry",
            models.Index(
                fields=("action", "-at", "-id"),
                name="audit_by_action",
                condition=~Q(action="decision.created"),
            ),
        ),
    ]
