"""Indexes for searching and for the orders of the queue, built without holding up writers."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import migrations, models
from django.db.models import F, Q, Value
from django.db.models.functions import Left, Replace

from moderation import repeatable

_OPEN = Q(state="open")
_NAME_WORDS = Replace(Replace(F("name"), Value("."), Value(" ")), Value("-"), Value(" "))


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0004_fill_ban_values_and_case_order")]

    operations = [
        repeatable.AddConstraint(
            model_name="ban",
            constraint=models.UniqueConstraint(
                fields=("kind", "value"), condition=Q(lifted_at__isnull=True), name="one_live_ban_per_value"
            ),
        ),
        repeatable.AddConstraint(
            model_name="ban",
            constraint=models.CheckConstraint(
                condition=Q(kind="address", first_address__isnull=False, last_address__isnull=False)
                | Q(kind__in=("domain", "host"), domain__isnull=False),
                name="ban_names_its_target",
            ),
        ),
        repeatable.AddIndexConcurrently(
            "ban",
            models.Index(
                fields=("first_address", "last_address"),
                name="ban_by_address",
                condition=Q(kind="address", lifted_at__isnull=True),
            ),
        ),
        repeatable.AddIndexConcurrently(
            "case",
            models.Index(fields=("is_escalated", "-uncertainty", "id"), name="case_unsure", condition=_OPEN),
        ),
        repeatable.AddIndexConcurrently(
            "case",
            models.Index(
                fields=("is_escalated", "-complaint_count", "id"), name="case_reported", condition=_OPEN
            ),
        ),
        repeatable.AddIndexConcurrently(
            "case",
            models.Index(fields=("is_escalated", "-opened_at", "id"), name="case_newest", condition=_OPEN),
        ),
        repeatable.AddIndexConcurrently(
            "case", models.Index(fields=("language",), name="case_language", condition=_OPEN)
        ),
        repeatable.AddIndexConcurrently(
            "decision", models.Index(fields=("-decided_at", "-id"), name="decision_newest")
        ),
        repeatable.AddIndexConcurrently(
            "author",
            GinIndex(SearchVector("display_name", "external_id", config="simple"), name="author_search"),
        ),
        repeatable.AddIndexConcurrently(
            "domain", GinIndex(SearchVector(_NAME_WORDS, config="simple"), name="domain_search")
        ),
        repeatable.AddIndexConcurrently(
            "revision",
            GinIndex(SearchVector(Left("text", 50_000), config="simple"), name="revision_search"),
        ),
    ]
