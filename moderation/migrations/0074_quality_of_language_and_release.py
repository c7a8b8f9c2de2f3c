"""Figures of quality by language and release together."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0073_going_live")]

    operations = [
        migrations.AlterField(
            model_name="qualityfigure",
            name="dimension",
            field=models.CharField(
                choices=[
                    ("all", "All posts"),
                    ("language", "Language"),
                    ("reason", "Reason"),
                    ("route", "Route"),
                    ("release", "Release"),
                    ("language_release", "Language and release"),
                ],
                max_length=16,
            ),
        ),
        migrations.AlterField(
            model_name="qualityfigure",
            name="slice",
            field=models.CharField(blank=True, max_length=80),
        ),
    ]
