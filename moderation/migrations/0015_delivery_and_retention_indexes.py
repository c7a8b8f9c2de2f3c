"""Indexes of the delivery log and of retention, built without holding up writers."""

from django.db import migrations, models
from django.db.models import Q

from moderation import repeatable

_ONCE = models.UniqueConstraint(fields=("decision", "endpoint"), name="delivery_once_per_endpoint")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0014_webhooks_erasures_answers")]

    operations = [
        repeatable.AddIndexConcurrently(
            "post",
            models.Index(
                fields=("platform", "received_at"), name="post_kept", condition=Q(erased_at__isnull=True)
            ),
        ),
        repeatable.AddIndexConcurrently("delivery", models.Index(fields=("post", "sequence"), name="delivery_of_post")),
        repeatable.AddIndexConcurrently(
            "delivery", models.Index(fields=("endpoint", "-created_at", "-id"), name="delivery_log")
        ),
        repeatable.AddUniqueConcurrently("delivery", _ONCE),
    ]
