"""A decision may be told of by several events: one delivery each, the index built without holding up writers."""

from django.db import migrations, models

_ONCE = models.UniqueConstraint(fields=("decision", "endpoint", "event"), name="delivery_once_per_event")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0021_appeals_notes_and_events")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS delivery_once_per_event"
                    " ON moderation_delivery (decision_id, endpoint_id, event)",
                    "DROP INDEX CONCURRENTLY IF EXISTS delivery_once_per_event",
                ),
                migrations.RunSQL(
                    "ALTER TABLE moderation_delivery ADD CONSTRAINT delivery_once_per_event"
                    " UNIQUE USING INDEX delivery_once_per_event",
                    "ALTER TABLE moderation_delivery DROP CONSTRAINT delivery_once_per_event",
                ),
            ],
            state_operations=[migrations.AddConstraint("delivery", _ONCE)],
        ),
        migrations.RemoveConstraint("delivery", "delivery_once_per_endpoint"),
    ]
