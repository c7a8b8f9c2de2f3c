"""The index that finds the decisions of a campaign, built without holding up writers."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0009_campaigns")]

    operations = [
        AddIndexConcurrently(
            model_name="decision",
            index=models.Index(
                fields=["campaign_decision", "id"],
                name="decision_by_campaign",
                condition=models.Q(campaign_decision__isnull=False),
            ),
        ),
    ]
