"""What the links of a post lead to: answer format."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.models.evidence import EvidenceRole, EvidenceState
from moderation.queries.evidence.findings import Finding
from moderation.queries.wire import instant


class EvidenceStepSerializer(serializers.Serializer[Any]):
    """An address on the way from a link to what it leads to."""

    url = serializers.CharField()
    status = serializers.IntegerField(allow_null=True, help_text="Null where no answer came.")


class EvidenceFormSerializer(serializers.Serializer[Any]):
    """A form of the page."""

    action_host = serializers.CharField(help_text="Where it posts; empty if that is no web address.")
    posts_elsewhere = serializers.BooleanField()
    asks_password = serializers.BooleanField()


class EvidenceFileSerializer(serializers.Serializer[Any]):
    """A file that is offered."""

    url = serializers.CharField()
    name = serializers.CharField()


class EvidenceSerializer(serializers.Serializer[Any]):
    """What one address of the post led to; facts are empty where nothing was read."""

    url = serializers.CharField()
    role = serializers.ChoiceField(choices=EvidenceRole.values)
    state = serializers.ChoiceField(
        choices=EvidenceState.values, help_text="How it ended; waiting and fetching are still to come."
    )
    fetched_at = serializers.DateTimeField(allow_null=True)
    chain = EvidenceStepSerializer(many=True)
    final_host = serializers.CharField()
    final_domain = serializers.CharField(help_text="Registrable domain; empty for an address.")
    title = serializers.CharField()
    article = serializers.CharField(help_text="The page's main text.")
    text = serializers.CharField(help_text="All that can be seen on the page.")
    forms = EvidenceFormSerializer(many=True)
    downloads = EvidenceFileSerializer(many=True)
    differs_for_browser = serializers.BooleanField(
        allow_null=True,
        help_text="Whether a browser is shown another page than a program; null if nobody looked twice.",
    )
    differs_from_preview = serializers.BooleanField(
        allow_null=True,
        help_text="Whether the page says nothing of what its OpenGraph title and description promise; null "
        "if too little can be read.",
    )
    image_spam_probability = serializers.FloatField(
        allow_null=True,
        min_value=0,
        max_value=1,
        help_text=(
            "What the release's image model makes of a picture; null of anything else, without such a"
            " model, and where it did not answer."
        ),
    )


def evidence(finding: Finding) -> dict[str, Any]:
    """Return what one address led to."""
    row, facts = finding.row, finding.facts
    return {
        "url": row.url,
        "role": finding.role,
        "state": row.state,
        "fetched_at": instant(row.fetched_at) if row.fetched_at else None,
        "chain": row.chain,
        "final_host": row.final_host,
        "final_domain": row.final_domain,
        "title": facts.get("title", ""),
        "article": facts.get("article", ""),
        "text": facts.get("text", ""),
        "forms": facts.get("forms", []),
        "downloads": facts.get("downloads", []),
        "differs_for_browser": finding.differs_for_browser,
        "differs_from_preview": finding.differs_from_preview,
        "image_spam_probability": finding.image_spam_probability,
    }
