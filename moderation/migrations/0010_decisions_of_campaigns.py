"""The index that finds the decisions of a campaign, built without holding up writers."""

from django.db import migrations, models

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0009_campaigns")]

    operations = [
        repeatable.AddIndexConcurrently(
            model_name="decision",
            index=models.Index(
                fields=["campaign_decision", "id"],
                name="decision_by_campaign",
                condition=models.Q(campaign_decision__isnull=False),
            ),
        ),
    ]
