"""Scopes of API keys that read releases and train them."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0060_training_runs")]

    operations = [
        migrations.AlterField(
            model_name="apikey",
            name="scopes",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(
                    choices=[
                        ("posts:write", "Posts Write"),
                        ("complaints:write", "Complaints Write"),
                        ("verdicts:read", "Verdicts Read"),
                        ("cases:read", "Cases Read"),
                        ("decisions:write", "Decisions Write"),
                        ("rules:admin", "Rules Admin"),
                        ("labels:export", "Labels Export"),
                        ("webhooks:admin", "Webhooks Admin"),
                        ("models:read", "Models Read"),
                        ("models:admin", "Models Admin"),
                    ],
                    max_length=32,
                ),
                size=None,
            ),
        ),
    ]
