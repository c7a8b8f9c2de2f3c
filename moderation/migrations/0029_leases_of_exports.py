"""Exports have a lease and count their attempts: one whose message or worker was lost is taken up again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0028_review_pages")]

    operations = [
        migrations.AddField(
            model_name="export",
            name="attempts",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="How often somebody began to build it; each has a file of its own.",
            ),
        ),
        migrations.AddField(
            model_name="export",
            name="lease_until",
            field=models.DateTimeField(
                blank=True, help_text="Until then its message or its builder is trusted to come.", null=True
            ),
        ),
    ]
