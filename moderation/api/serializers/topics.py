"""Topics in words: request and answer."""

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.fields import TextListField
from moderation.api.serializers.strict import StrictSerializer
from moderation.operations.policies.topics import has_words

MOST_TEXTS, MOST_TOPICS = 64, 20
LONGEST_TEXT, LONGEST_TOPIC = 20_000, 200


class TopicsRequestSerializer(StrictSerializer):
    """Texts, and what they may be about."""

    texts = TextListField(
        max_items=MOST_TEXTS, max_length=LONGEST_TEXT, min_length=1, help_text="The model reads 128 tokens."
    )
    topics = TextListField(
        max_items=MOST_TOPICS,
        max_length=LONGEST_TOPIC,
        min_length=1,
        help_text="Each completes “This text is about …”.",
    )

    def validate_topics(self, topics: list[str]) -> list[str]:
        """Refuse topics that say nothing."""
        if empty := [number for number, topic in enumerate(topics) if not has_words(topic)]:
            raise serializers.ValidationError(
                {
                    str(number): serializers.ErrorDetail("Must have a letter or digit.", code="blank")
                    for number in empty
                }
            )
        return topics


class TopicsSerializer(serializers.Serializer[Any]):
    """A row for each text, in it a number for each topic."""

    topics = serializers.ListField(child=serializers.CharField())
    probabilities = serializers.ListField(
        child=serializers.ListField(
            child=serializers.FloatField(min_value=0, max_value=1, allow_null=True),
        ),
        help_text="That the text is about the topic; null for a text without words.",
    )
