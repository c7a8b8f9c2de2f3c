"""Circuits of endpoints, the lease of a delivery that is being sent, and when each sweep last ran."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("moderation", "0031_subjects_of_answers"),
    ]

    operations = [
        migrations.CreateModel(
            name="EndpointCircuit",
            fields=[
                ("endpoint", models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name="circuit", serialize=False, to="moderation.webhookendpoint")),
                ("state", models.CharField(choices=[("closed", "closed"), ("open", "open"), ("half_open", "half open")], default="closed", max_length=9)),
                ("failures", models.PositiveIntegerField(default=0, help_text="In a row.")),
                ("openings", models.PositiveIntegerField(default=0, help_text="In a row: each pause is longer.")),
                ("since", models.DateTimeField(blank=True, null=True)),
                ("retry_at", models.DateTimeField(blank=True, null=True)),
                ("is_slow", models.BooleanField(default=False)),
                ("last_error", models.CharField(blank=True, max_length=500)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
            ],
            options={"ordering": ("endpoint",)},
        ),
        migrations.CreateModel(
            name="SweepRun",
            fields=[
                ("sweep", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("started_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("succeeded_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={"ordering": ("sweep",)},
        ),
        migrations.AddField(
            model_name="delivery",
            name="lease_until",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="delivery",
            name="request_id",
            field=models.CharField(blank=True, db_default="", max_length=520),
        ),
    ]
