"""The platform's own webhook columns go: endpoints took their place."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("moderation", "0017_platform_webhooks_to_endpoints")]

    operations = [
        migrations.RemoveField("platform", "webhook_secret"),
        migrations.RemoveField("platform", "webhook_url"),
    ]
