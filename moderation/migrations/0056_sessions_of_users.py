"""Sessions as their users see them. A process of the release before makes and ends sessions without them."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sessions", "0001_initial"), ("moderation", "0055_translations")]

    operations = [
        migrations.CreateModel(
            "UserSession",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(default=uuid.uuid4, unique=True)),
                ("browser", models.CharField(blank=True, max_length=20)),
                ("system", models.CharField(blank=True, max_length=20)),
                ("signed_in_at", models.DateTimeField()),
                ("used_at", models.DateTimeField()),
                (
                    "session",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="of_user",
                        to="sessions.session",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"ordering": ("-used_at", "id")},
        ),
    ]
