"""Links are opened once more as a browser, where a platform wants it, and anew after complaints."""

from django.db import migrations, models

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0076_scope_of_the_audit_log")]

    operations = [
        repeatable.AddField(
            model_name="platform",
            name="browses_evidence",
            field=models.CharField(
                choices=[("off", "no posts"), ("unsure", "posts that go to review"), ("on", "all posts")],
                db_default="off",
                default="off",
                help_text="Of which of these posts they are fetched once more, as a browser.",
                max_length=8,
            ),
        ),
        repeatable.AddField(
            model_name="revisionevidence",
            name="is_changed",
            field=models.BooleanField(
                help_text="Whether it shows another page than when it was fetched for the revision before.",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="evidence",
            name="kind",
            field=models.CharField(
                choices=[
                    ("page", "page"),
                    ("picture", "picture"),
                    ("browser", "page as a browser is shown it"),
                ],
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="revisionevidence",
            name="role",
            field=models.CharField(
                choices=[
                    ("link", "link"),
                    ("media", "media"),
                    ("preview", "preview picture of a page"),
                    ("code", "code in a picture"),
                    ("browser", "link, opened as a browser"),
                ],
                max_length=8,
            ),
        ),
    ]
