"""The platform of cases that wait, and the indexes of what narrows the queue, built beside the writers."""

from django.db import migrations, models
from django.db.models import Q

from moderation import repeatable

# Only cases that wait are looked for by platform; nobody waits for their rows longer than one statement.
_BACKFILL = """
UPDATE moderation_case SET platform_id = moderation_post.platform_id FROM moderation_post
WHERE moderation_post.id = moderation_case.post_id AND moderation_case.state = 'open'
    AND moderation_case.platform_id IS NULL
"""


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0043_named_queues")]

    operations = [
        migrations.RunSQL(_BACKFILL, migrations.RunSQL.noop),
        repeatable.AddIndexConcurrently(
            "case",
            models.Index(
                fields=("language", "is_escalated", "-priority", "id"),
                name="case_by_language",
                condition=Q(state="open"),
            ),
        ),
        repeatable.AddIndexConcurrently(
            "case",
            models.Index(
                fields=("reason", "is_escalated", "-priority", "id"),
                name="case_by_reason",
                condition=Q(state="open"),
            ),
        ),
        repeatable.AddIndexConcurrently(
            "case",
            models.Index(
                fields=("platform", "is_escalated", "-priority", "id"),
                name="case_by_platform",
                condition=Q(state="open"),
            ),
        ),
        repeatable.RemoveIndexConcurrently("case", "case_language"),
    ]
