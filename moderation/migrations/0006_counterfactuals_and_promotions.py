"""Counterfactuals beside scores; which release was live when. A nullable column rewrites no table."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("moderation", "0005_search_and_queue_indexes"),
    ]

    operations = [
        migrations.AddField(
            model_name="score",
            name="counterfactual",
            field=models.JSONField(
                help_text="The smallest change that alters the route; {} if there is none.", null=True
            ),
        ),
        migrations.CreateModel(
            name="Promotion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("promote", "promoted"), ("rollback", "rolled back to")], max_length=8
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "findings",
                    models.JSONField(
                        default=list, help_text="What the gate asked: [question, passed, answer]."
                    ),
                ),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="promotions",
                        to="moderation.release",
                    ),
                ),
                (
                    "replaced",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="moderation.release"
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("release", models.F("replaced")), _negated=True),
                        name="promotion_changes_the_release",
                    )
                ],
            },
        ),
    ]
