"""How often posts were seen, and figures of quality by views beside those by posts."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0079_picture_groups")]

    operations = [
        migrations.AddField(
            model_name="revision",
            name="views",
            field=models.PositiveIntegerField(blank=True, help_text="No model reads them.", null=True),
        ),
        migrations.AddField(
            model_name="qualityfigure",
            name="unit",
            field=models.CharField(
                choices=[("posts", "posts"), ("views", "views")],
                db_default="posts",
                default="posts",
                max_length=5,
            ),
        ),
        migrations.AlterModelOptions(
            name="qualityfigure",
            options={
                "ordering": ("platform_id", "span", "unit", "dimension", "slice", "start", "measure"),
            },
        ),
        migrations.RemoveConstraint(model_name="qualityfigure", name="estimated_once_per_slice"),
        migrations.AddConstraint(
            model_name="qualityfigure",
            constraint=models.UniqueConstraint(
                fields=("platform", "span", "unit", "dimension", "slice", "start", "measure"),
                name="estimated_once_per_slice_and_unit",
                nulls_distinct=False,
            ),
        ),
    ]
