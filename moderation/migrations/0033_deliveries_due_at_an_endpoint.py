"""What is due is looked for endpoint by endpoint; the index is built without holding up writers."""

from django.db import migrations, models

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0032_circuits_leases_and_sweep_runs")]

    operations = [
        repeatable.AddIndexConcurrently(
            "delivery",
            models.Index(
                fields=("endpoint", "next_attempt_at", "id"),
                name="delivery_due_at_endpoint",
                condition=models.Q(state="waiting"),
            ),
        ),
        repeatable.RemoveIndexConcurrently("delivery", "delivery_due"),
    ]
