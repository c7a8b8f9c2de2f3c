"""A table of what came and was decided in each hour."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

_MEASURES = [
    ("posts", "Posts received"),
    ("cases", "Cases opened"),
    ("people_spam", "Spam, by people"),
    ("people_fine", "Not spam, by people"),
    ("filter_spam", "Removed by the filter"),
    ("filter_fine", "Let through by the filter"),
    ("failed_calls", "Failed webhook calls"),
]


class Migration(migrations.Migration):
    dependencies = [("moderation", "0044_queue_indexes_by_part")]

    operations = [
        migrations.CreateModel(
            name="HourlyCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("hour", models.DateTimeField()),
                ("measure", models.CharField(choices=_MEASURES, max_length=12)),
                ("number", models.PositiveIntegerField()),
                ("counted_at", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"ordering": ("hour", "measure", "user_id")},
        ),
        migrations.AddConstraint(
            model_name="hourlycount",
            constraint=models.UniqueConstraint(
                fields=("hour", "measure", "user"), name="counted_once_per_hour", nulls_distinct=False
            ),
        ),
    ]
