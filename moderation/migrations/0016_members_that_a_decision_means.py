"""A decision on a large campaign names exactly the members it means. One empty column, one dropped."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0015_delivery_and_retention_indexes")]

    operations = [
        migrations.AddField(
            model_name="campaigndecision",
            name="member_ids",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(),
                default=list,
                help_text="Exactly those meant, where a task carries it out; who joins or waits later is not.",
                size=None,
            ),
        ),
        migrations.RemoveField(model_name="campaigndecision", name="newest_member_id"),
    ]
