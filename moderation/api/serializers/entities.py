"""Timelines of authors and counts of domains, from a platform's own posts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.rules import RuleSerializer, rule
from moderation.queries.entities.platform_lookups import OwnDomain
from moderation.queries.entities.timeline import Timeline
from moderation.queries.wire import instant

KINDS = ("post", "complaint", "decision", "automatic")
_VERDICTS = {"spam": "spam", "ham": "not_spam", "": None}


class EventSerializer(serializers.Serializer[Any]):
    """One event."""

    at = serializers.DateTimeField()
    kind = serializers.ChoiceField(
        choices=KINDS, help_text="decision: of a person; automatic: of the filter."
    )
    verdict = serializers.CharField(
        allow_null=True, help_text="spam or not_spam: of a post what people said of it; null if nobody did."
    )


class TimelineSerializer(serializers.Serializer[Any]):
    """The events of an author, the oldest first."""

    events = EventSerializer(many=True)
    is_partial = serializers.BooleanField(help_text="True if only the latest 300 posts are in it.")


class DomainSerializer(serializers.Serializer[Any]):
    """A domain among your posts. `spam` and `not_spam` were judged by people."""

    domain = serializers.CharField()
    posts = serializers.IntegerField()
    authors = serializers.IntegerField()
    waiting = serializers.IntegerField()
    spam = serializers.IntegerField()
    not_spam = serializers.IntegerField()
    complaints = serializers.IntegerField()
    first_at = serializers.DateTimeField(allow_null=True)
    last_at = serializers.DateTimeField(allow_null=True)
    rule = RuleSerializer(allow_null=True, help_text="The rule in force, for every platform.")


def timeline(found: Timeline) -> dict[str, Any]:
    events = [
        {"at": instant(event.at), "kind": event.kind, "verdict": _VERDICTS[event.tone]}
        for event in found.events
    ]
    return {"events": events, "is_partial": found.is_partial}


def domain(found: OwnDomain, *, at: datetime) -> dict[str, Any]:
    counted = found.figures
    return {
        "domain": found.name,
        **{
            name: getattr(counted, name)
            for name in ("posts", "authors", "waiting", "spam", "not_spam", "complaints")
        },
        "first_at": instant(counted.first_at) if counted.first_at else None,
        "last_at": instant(counted.last_at) if counted.last_at else None,
        "rule": rule(found.rule, at=at) if found.rule else None,
    }
