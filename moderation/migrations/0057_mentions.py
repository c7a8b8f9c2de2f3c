"""People and roles that notes on cases name."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("moderation", "0056_sessions_of_users")]

    operations = [
        migrations.CreateModel(
            name="Mention",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("moderator", "Moderator"),
                            ("lead", "Lead"),
                            ("ml_engineer", "ML engineer"),
                            ("admin", "Administrator"),
                        ],
                        max_length=16,
                    ),
                ),
                ("done_at", models.DateTimeField(blank=True, null=True)),
                (
                    "done_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "note",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mentions",
                        to="moderation.casenote",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mentions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
                "indexes": [
                    models.Index(fields=("user", "done_at", "id"), name="mention_of_user"),
                    models.Index(
                        condition=~Q(role=""), fields=("role", "done_at", "id"), name="mention_of_role"
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(user__isnull=False, role="") | (Q(user__isnull=True) & ~Q(role="")),
                        name="mention_names_a_person_or_a_role",
                    ),
                    models.CheckConstraint(
                        condition=Q(done_at__isnull=True, done_by__isnull=True)
                        | Q(done_at__isnull=False, done_by__isnull=False),
                        name="mention_done_by_somebody",
                    ),
                ],
            },
        ),
    ]
