"""Rules beside bans: allowances and waves, about authors, too, drafted before they hold.

The table keeps its name and new columns their defaults, so that the release before goes on imposing bans.
"""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models
from django.db.models import Q

_CASCADE, _PROTECT = django.db.models.deletion.CASCADE, django.db.models.deletion.PROTECT
_REASONS = [
    ("uncertain", "the models are unsure"),
    ("degraded", "scored without the content model"),
    ("audit", "random audit sample"),
    ("complaints", "complaints came in after the automatic verdict"),
    ("revised", "edited after a decision"),
    ("escalated", "escalated by a moderator"),
    ("campaign", "sample of a decided campaign"),
    ("conflict", "the filter and its campaign disagree"),
    ("appealed", "the platform disputes the decision"),
    ("second", "a second person is asked"),
    ("wave", "spam comes in a wave: nothing passes unseen"),
]


class Migration(migrations.Migration):
    dependencies = [("moderation", "0024_cases_by_closing")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel("Ban", "Rule"),
                migrations.AlterModelTable("rule", "moderation_ban"),
            ]
        ),
        migrations.AddField(
            "rule",
            "effect",
            models.CharField(
                choices=[("ban", "ban"), ("wave", "wave"), ("allow", "allowance")],
                db_default="ban",
                default="ban",
                max_length=8,
            ),
        ),
        migrations.AddField(
            "rule",
            "activated_at",
            models.DateTimeField(
                blank=True, db_default=django.db.models.functions.datetime.Now(), null=True
            ),
        ),
        migrations.RunSQL("UPDATE moderation_ban SET activated_at = imposed_at", migrations.RunSQL.noop),
        migrations.AddField(
            "rule",
            "author",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=_CASCADE,
                related_name="rules",
                to="moderation.author",
            ),
        ),
        migrations.AlterField(
            "rule",
            "domain",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=_CASCADE,
                related_name="rules",
                to="moderation.domain",
            ),
        ),
        migrations.AlterField(
            "rule",
            "kind",
            models.CharField(
                choices=[
                    ("domain", "domain"),
                    ("host", "host"),
                    ("address", "address"),
                    ("author", "author"),
                ],
                default="domain",
                max_length=8,
            ),
        ),
        migrations.RemoveConstraint("rule", "one_live_ban_per_value"),
        migrations.RemoveConstraint("rule", "ban_names_its_target"),
        migrations.AddConstraint(
            "rule",
            models.UniqueConstraint(
                condition=Q(activated_at__isnull=False, lifted_at__isnull=True),
                fields=("kind", "value"),
                name="one_live_rule_per_value",
            ),
        ),
        migrations.AddConstraint(
            "rule",
            models.CheckConstraint(
                condition=Q(kind="address", first_address__isnull=False, last_address__isnull=False)
                | Q(kind__in=("domain", "host"), domain__isnull=False)
                | Q(kind="author", author__isnull=False),
                name="rule_names_its_target",
            ),
        ),
        migrations.AddConstraint(
            "rule",
            models.CheckConstraint(
                condition=Q(effect="ban") | Q(expires_at__isnull=False), name="rule_ends_but_for_bans"
            ),
        ),
        migrations.AddField(
            "score",
            "rule",
            models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=_PROTECT,
                related_name="+",
                to="moderation.rule",
            ),
        ),
        migrations.AlterField("case", "reason", models.CharField(choices=_REASONS, max_length=12)),
    ]
