"""Which labels of the audit sample belong to its uniform part, and by which chance."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("moderation", "0058_release_proposals"),
    ]

    operations = [
        migrations.AddField(
            model_name="score",
            name="audit_uniform_probability",
            field=models.FloatField(
                help_text=(
                    "The chance of the audit sample's uniform part; null if that part did not draw the post."
                ),
                null=True,
            ),
        ),
    ]
