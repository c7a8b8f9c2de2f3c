"""Machine translations of posts."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0054_rules_about_texts")]

    operations = [
        migrations.CreateModel(
            name="Translation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("language", models.CharField(help_text="The language that it is in.", max_length=16)),
                ("text", models.TextField(blank=True)),
                ("translated_by", models.CharField(max_length=300)),
                (
                    "is_whole",
                    models.BooleanField(help_text="Whether the whole text was sent, or its beginning."),
                ),
                ("translated_at", models.DateTimeField()),
                (
                    "revision",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="translations",
                        to="moderation.revision",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("revision", "language"), name="translation_once_per_language"
                    )
                ],
            },
        ),
    ]
