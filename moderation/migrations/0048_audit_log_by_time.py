"""The indexes by which the audit log is read, built without holding up writers."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0047_decisions_by_reason")]

    operations = [
        AddIndexConcurrently("auditentry", models.Index(fields=("-at", "-id"), name="audit_newest")),
        AddIndexConcurrently(
            "auditentry",
            models.Index(
                fields=("actor", "-at", "-id"), name="audit_by_actor", condition=Q(actor__isnull=False)
            ),
        ),
        AddIndexConcurrently(
            "auditentry",
            models.Index(
                fields=("action", "-at", "-id"),
                name="audit_by_action",
                condition=~Q(action="decision.created"),
            ),
        ),
    ]
