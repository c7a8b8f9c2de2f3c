"""Named queues, what users read, and the platform of a case, by which a claim finds its first case.

A trigger copies the platform where the writer does not: the release before still opens cases meanwhile.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Value

_CODES = django.contrib.postgres.fields.ArrayField(models.CharField(max_length=16))

_FORWARD = """
CREATE OR REPLACE FUNCTION moderation_case_platform() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.platform_id := (SELECT platform_id FROM moderation_post WHERE id = NEW.post_id);
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER case_platform BEFORE INSERT OR UPDATE OF state ON moderation_case
    FOR EACH ROW WHEN (NEW.platform_id IS NULL) EXECUTE FUNCTION moderation_case_platform();
"""
_BACKWARD = """
DROP TRIGGER IF EXISTS case_platform ON moderation_case;
DROP FUNCTION IF EXISTS moderation_case_platform();
"""


class Migration(migrations.Migration):
    dependencies = [("moderation", "0042_rules_that_hold")]

    operations = [
        migrations.CreateModel(
            name="NamedQueue",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60, unique=True)),
                (
                    "platform",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="named_queues",
                        to="moderation.platform",
                    ),
                ),
                (
                    "languages",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=16), blank=True, default=list, size=None
                    ),
                ),
                (
                    "reasons",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=16),
                        blank=True,
                        default=list,
                        help_text="Values of CaseReason.",
                        size=None,
                    ),
                ),
            ],
            options={"ordering": ("name",)},
        ),
        migrations.CreateModel(
            name="QueueAssignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField(default=1)),
                (
                    "daily_limit",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="Decisions a day from this queue; none: as many as there are.",
                        null=True,
                    ),
                ),
                (
                    "queue",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to="moderation.namedqueue",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="queue_assignments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("position", "id"),
                "constraints": [
                    models.UniqueConstraint(fields=("queue", "user"), name="queue_assigned_once")
                ],
            },
        ),
        migrations.AddField(
            "user",
            "languages",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=16),
                blank=True,
                db_default=Value([], output_field=_CODES),
                default=list,
                help_text="What this user reads; cases in other languages are not handed out. Empty: all of them.",
                size=None,
            ),
        ),
        migrations.AddField(
            "case",
            "platform",
            models.ForeignKey(
                db_constraint=False,
                db_index=False,
                help_text="Null in cases that were closed before it was copied.",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="cases",
                to="moderation.platform",
            ),
        ),
        migrations.RunSQL(_FORWARD, _BACKWARD),
    ]
