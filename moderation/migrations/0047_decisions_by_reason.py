"""The index by which the decisions with one reason are listed, built without holding up writers."""

from django.db import migrations, models
from django.db.models import Q

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0046_indexes_of_activity")]

    operations = [
        repeatable.AddIndexConcurrently(
            "decision",
            models.Index(
                fields=("reason", "-decided_at", "-id"),
                name="decision_by_reason",
                condition=~Q(reason=""),
            ),
        ),
    ]
