"""Rules: bans of domains, hosts and addresses."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from moderation.api.serializers.decisions import instant
from moderation.api.serializers.fields import InstantField, OneOfField, TextField
from moderation.api.serializers.keyset import KeysetField, PageQuerySerializer
from moderation.api.serializers.strict import StrictSerializer
from moderation.models import Ban
from moderation.models.bans import BanKind
from moderation.queries.figures import Figures

LIVE, ENDED = "live", "ended"


class FutureField(InstantField):
    """A point in time that is still to come."""

    default_error_messages = {"in_past": "Must be in the future."}

    def to_internal_value(self, value: Any) -> datetime:
        """Return the instant."""
        moment = self.read(value)
        if moment <= timezone.now():
            self.fail("in_past")
        return moment


class RuleRequestSerializer(StrictSerializer):
    """What is banned, why, and until when."""

    kind = OneOfField(choices=BanKind.values)
    value = TextField(max_length=255, help_text="evil.example, pay.evil.example, 203.0.113.7, 203.0.113.0/24")
    reason = TextField(max_length=500)
    expires_at = FutureField(help_text="A rule without an end is made by a lead on the desk.")


class RuleQuerySerializer(PageQuerySerializer):
    """Which rules are asked for."""

    state = OneOfField(choices=(LIVE, ENDED), required=False, default=LIVE)
    kind = OneOfField(choices=BanKind.values, required=False)
    cursor = KeysetField(kinds=(int,), required=False)


class RuleSerializer(serializers.Serializer[Any]):
    """A rule as it stands."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=BanKind.values)
    value = serializers.CharField(help_text="In its canonical form.")
    reason = serializers.CharField()
    imposed_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    lifted_at = serializers.DateTimeField(allow_null=True)


class RulePageSerializer(serializers.Serializer[Any]):
    """Rules, the newest first."""

    data = RuleSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
    next_cursor = serializers.CharField(allow_null=True)


class BacktestSerializer(serializers.Serializer[Any]):
    """What the rule would have hit among your posts until now; people judged some of them."""

    posts = serializers.IntegerField()
    judged = serializers.IntegerField()
    spam = serializers.IntegerField()
    not_spam = serializers.IntegerField()
    precision = serializers.FloatField(allow_null=True, help_text="Spam among the judged; null without any.")
    precision_from = serializers.FloatField(help_text="Lower end of Wilson's 95 % interval.")
    precision_to = serializers.FloatField(help_text="Its upper end.")


def rule(row: Ban) -> dict[str, Any]:
    """Return a rule."""
    return {
        "id": str(row.pk),
        "kind": row.kind,
        "value": row.value,
        "reason": row.reason,
        "imposed_at": instant(row.imposed_at),
        "expires_at": instant(row.expires_at) if row.expires_at else None,
        "lifted_at": instant(row.lifted_at) if row.lifted_at else None,
    }


def backtest(figures: Figures) -> dict[str, Any]:
    """Return what a rule would have hit."""
    low, high = figures.spam_interval
    return {
        "posts": figures.posts,
        "judged": figures.judged,
        "spam": figures.spam,
        "not_spam": figures.not_spam,
        "precision": figures.spam_share if figures.judged else None,
        "precision_from": low,
        "precision_to": high,
    }
