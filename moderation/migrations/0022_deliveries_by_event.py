"""A decision may be told of by several events: one delivery each, the index built without holding up writers."""

from django.db import migrations, models

from moderation import repeatable

_ONCE = models.UniqueConstraint(fields=("decision", "endpoint", "event"), name="delivery_once_per_event")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0021_appeals_notes_and_events")]

    operations = [
        repeatable.AddUniqueConcurrently("delivery", _ONCE),
        repeatable.RemoveConstraint("delivery", "delivery_once_per_endpoint"),
    ]
