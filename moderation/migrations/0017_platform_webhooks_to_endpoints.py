"""The one webhook address of a platform becomes its first endpoint.

Disabled, since its secret stood in the clear: a new one is issued, and what waits is sent with it.
"""

from django.db import migrations
from django.db.models import OuterRef, Subquery


def to_endpoints(apps, schema_editor):
    Platform = apps.get_model("moderation", "Platform")
    Endpoint = apps.get_model("moderation", "WebhookEndpoint")
    Decision = apps.get_model("moderation", "Decision")
    Delivery = apps.get_model("moderation", "Delivery")
    for platform in Platform.objects.exclude(webhook_url=""):
        endpoint, _ = Endpoint.objects.get_or_create(
            platform=platform,
            url=platform.webhook_url,
            defaults={
                "state": "disabled",
                "state_reason": "needs a new signing secret",
                "created_at": platform.created_at,
                "changed_at": platform.created_at,
            },
        )
        Delivery.objects.filter(platform=platform, state="waiting", endpoint=None).update(
            endpoint=endpoint, post_id=Subquery(Decision.objects.filter(pk=OuterRef("decision_id")).values("post_id"))
        )


class Migration(migrations.Migration):
    dependencies = [("moderation", "0016_members_that_a_decision_means")]

    operations = [migrations.RunPython(to_endpoints, migrations.RunPython.noop)]
