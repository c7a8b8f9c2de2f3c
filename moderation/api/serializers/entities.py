"""Timelines of authors and counts of domains, from a platform's own posts."""

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer
from moderation.api.serializers.rules import RuleSerializer
from moderation.queries.entities.timeline import Event

KINDS = ("post", "complaint", "decision", "automatic")
_VERDICTS = {"spam": "spam", "ham": "not_spam", "": None}


class EventSerializer(AnswerSerializer):
    """One event."""

    at = serializers.DateTimeField()
    kind = serializers.ChoiceField(
        choices=KINDS, help_text="decision: of a person; automatic: of the filter."
    )
    verdict = serializers.CharField(
        allow_null=True, help_text="spam or not_spam: of a post what people said of it; null if nobody did."
    )

    def read_verdict(self, event: Event) -> str | None:
        return _VERDICTS[event.tone]


class TimelineSerializer(AnswerSerializer):
    """The events of an author, the oldest first."""

    events = EventSerializer(many=True)
    is_partial = serializers.BooleanField(help_text="True if only the latest 300 posts are in it.")


class DomainSerializer(AnswerSerializer):
    """A domain among your posts. `spam` and `not_spam` were judged by people."""

    domain = serializers.CharField(source="name")
    posts = serializers.IntegerField(source="figures.posts")
    authors = serializers.IntegerField(source="figures.authors")
    waiting = serializers.IntegerField(source="figures.waiting")
    spam = serializers.IntegerField(source="figures.spam")
    not_spam = serializers.IntegerField(source="figures.not_spam")
    complaints = serializers.IntegerField(source="figures.complaints")
    first_at = serializers.DateTimeField(source="figures.first_at", allow_null=True)
    last_at = serializers.DateTimeField(source="figures.last_at", allow_null=True)
    rule = RuleSerializer(allow_null=True, help_text="The rule in force, for every platform.")
