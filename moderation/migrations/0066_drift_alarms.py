"""What posts are like, counted by four hours, and alarms where something has become more frequent."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

_PLATFORM = {
    "db_index": False,
    "on_delete": django.db.models.deletion.CASCADE,
    "related_name": "+",
    "to": "moderation.platform",
}
_ID = {"auto_created": True, "primary_key": True, "serialize": False, "verbose_name": "ID"}


class Migration(migrations.Migration):
    dependencies = [("moderation", "0065_lanes_of_the_queue")]

    operations = [
        migrations.CreateModel(
            name="DriftAlarm",
            fields=[
                ("id", models.BigAutoField(**_ID)),
                ("raised_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField()),
                ("posts", models.PositiveIntegerField()),
                ("all_posts", models.PositiveIntegerField()),
                ("traits", models.JSONField()),
                ("slices", models.JSONField()),
                ("mean_probability", models.FloatField()),
                ("sample", models.JSONField(help_text="Ids of some of the posts, the newest first.")),
                ("acknowledged_at", models.DateTimeField(blank=True, null=True)),
                (
                    "acknowledged_by",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("platform", models.ForeignKey(**_PLATFORM)),
            ],
            options={
                "ordering": ("-raised_at", "-id"),
                "indexes": [
                    models.Index(fields=["-raised_at", "-id"], name="drift_newest"),
                    models.Index(fields=["platform", "-raised_at", "-id"], name="drift_of_platform"),
                    models.Index(
                        condition=Q(("acknowledged_at__isnull", True)), fields=["platform"], name="drift_open"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DriftBlock",
            fields=[
                ("id", models.BigAutoField(**_ID)),
                ("starts_at", models.DateTimeField()),
                ("posts", models.PositiveIntegerField()),
                ("authors", models.PositiveIntegerField()),
                ("counts", models.BinaryField()),
                ("platform", models.ForeignKey(**_PLATFORM)),
            ],
            options={
                "ordering": ("platform_id", "starts_at"),
                "constraints": [
                    models.UniqueConstraint(fields=("platform", "starts_at"), name="one_drift_block")
                ],
            },
        ),
        migrations.CreateModel(
            name="DriftWatch",
            fields=[
                (
                    "platform",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="moderation.platform",
                    ),
                ),
                ("next_at", models.DateTimeField()),
                ("evidence", models.BinaryField()),
                ("restarts", models.JSONField(default=dict)),
            ],
            options={"ordering": ("platform_id",)},
        ),
    ]
