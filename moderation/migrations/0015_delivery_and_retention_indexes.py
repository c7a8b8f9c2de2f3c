"""Indexes of the delivery log and of retention, built without holding up writers."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q

_ONCE = models.UniqueConstraint(fields=("decision", "endpoint"), name="delivery_once_per_endpoint")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0014_webhooks_erasures_answers")]

    operations = [
        AddIndexConcurrently(
            "post",
            models.Index(
                fields=("platform", "received_at"), name="post_kept", condition=Q(erased_at__isnull=True)
            ),
        ),
        AddIndexConcurrently("delivery", models.Index(fields=("post", "sequence"), name="delivery_of_post")),
        AddIndexConcurrently(
            "delivery", models.Index(fields=("endpoint", "-created_at", "-id"), name="delivery_log")
        ),
        # A constraint would build its index under a lock; one that takes over a finished index does not.
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS delivery_once_per_endpoint"
                    " ON moderation_delivery (decision_id, endpoint_id)",
                    "DROP INDEX CONCURRENTLY IF EXISTS delivery_once_per_endpoint",
                ),
                migrations.RunSQL(
                    "ALTER TABLE moderation_delivery ADD CONSTRAINT delivery_once_per_endpoint"
                    " UNIQUE USING INDEX delivery_once_per_endpoint",
                    "ALTER TABLE moderation_delivery DROP CONSTRAINT delivery_once_per_endpoint",
                ),
            ],
            state_operations=[migrations.AddConstraint("delivery", _ONCE)],
        ),
    ]
