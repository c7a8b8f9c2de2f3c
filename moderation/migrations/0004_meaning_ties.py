"""A post may share its meaning with a campaign. Changes no column."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

KINDS = [*((kind, f"same {kind}") for kind in ("text", "link", "domain", "network", "author", "picture", "meaning"))]


class Migration(migrations.Migration):
    dependencies = (("moderation", "0003_standard_reasons"),)
    operations = (
        migrations.AlterField("campaignmember", "ties", ArrayField(models.CharField(choices=KINDS, max_length=8), default=list)),
        migrations.AlterField("campaigntrait", "kind", models.CharField(choices=KINDS, max_length=8)),
    )
