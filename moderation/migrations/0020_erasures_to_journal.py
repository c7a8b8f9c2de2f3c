"""The index by which erasures are found that are not in the journal yet, built without holding up writers."""

from django.db import migrations, models
from django.db.models import Q

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0019_erasure_journalled_at")]

    operations = [
        repeatable.AddIndexConcurrently(
            "erasure",
            models.Index(
                fields=("id",),
                name="erasure_to_journal",
                condition=Q(cause="request", journalled_at__isnull=True),
            ),
        ),
    ]
