"""Captions of videos, as platforms send them with a post."""

import django.db.models.expressions
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0071_evidence_behind_links")]

    operations = [
        migrations.AddField(
            model_name="revision",
            name="transcripts",
            field=models.JSONField(
                default=list,
                db_default=django.db.models.expressions.Value([], models.JSONField()),
                help_text="Captions of videos: language, source, cues (from and to in milliseconds, text), is_cut.",
            ),
        ),
    ]
