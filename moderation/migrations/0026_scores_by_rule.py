"""The index by which the posts of a lifted rule are found, built without holding up writers."""

from django.db import migrations, models
from django.db.models import Q

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0025_rules_that_allow_and_hold")]

    operations = [
        repeatable.AddIndexConcurrently(
            "score", models.Index(fields=("rule",), name="score_by_rule", condition=Q(rule__isnull=False))
        ),
    ]
