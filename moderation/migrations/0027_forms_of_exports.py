"""Exports as CSV and Parquet beside JSON lines, with defaults that the release before writes by."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0026_scores_by_rule")]

    operations = [
        migrations.AddField(
            "export",
            "format",
            models.CharField(
                choices=[("jsonl", "JSON lines"), ("csv", "CSV"), ("parquet", "Parquet")],
                db_default="jsonl",
                default="jsonl",
                max_length=8,
            ),
        ),
        migrations.AddField(
            "export",
            "splits",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=10),
                blank=True,
                db_default=[],
                default=list,
                size=None,
            ),
        ),
        migrations.AddField("export", "has_weights", models.BooleanField(db_default=True, default=True)),
    ]
