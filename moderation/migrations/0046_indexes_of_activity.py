"""The indexes by which posts, failed calls and failed deliveries are counted, built beside writers."""

from django.db import migrations, models
from django.db.models import Q

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0045_hourly_counts")]

    operations = [
        repeatable.AddIndexConcurrently("post", models.Index(fields=("received_at",), name="post_by_arrival")),
        repeatable.AddIndexConcurrently(
            "deliveryattempt", models.Index(fields=("at",), name="attempt_failed", condition=~Q(error=""))
        ),
        repeatable.AddIndexConcurrently(
            "delivery",
            models.Index(
                fields=("endpoint", "-created_at", "-id"),
                name="delivery_failed",
                condition=Q(state="failed"),
            ),
        ),
    ]
