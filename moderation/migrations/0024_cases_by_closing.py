"""The index by which the queue's age over the last day is read, built without holding up writers."""

from django.db import migrations, models
from django.db.models import Q

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0023_writes_of_ingest")]

    operations = [
        repeatable.AddIndexConcurrently(
            "case",
            models.Index(
                fields=("closed_at", "opened_at"), name="case_closed", condition=Q(closed_at__isnull=False)
            ),
        ),
    ]
