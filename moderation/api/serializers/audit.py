"""The audit log in answers."""

import re
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer
from moderation.api.serializers.cursors import NextCursorField
from moderation.models import AuditEntry
from moderation.models.rules import RuleKind
from moderation.queries.audit import ChainPage

_IPV4 = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)")
"""An address in words that somebody wrote; those of version 6 stand in rules about addresses alone."""


class ActorSerializer(AnswerSerializer):
    """Who acted."""

    id = serializers.CharField()
    name = serializers.CharField(source="*")


class AuditEntrySerializer(AnswerSerializer):
    """One act."""

    id = serializers.CharField()
    at = serializers.DateTimeField()
    actor = ActorSerializer(allow_null=True, help_text="Null where the system or a platform acted.")
    action = serializers.CharField()
    subject_kind = serializers.CharField()
    subject_id = serializers.CharField()
    details = serializers.DictField()
    masked = serializers.ListField(
        child=serializers.CharField(), help_text="Members of `details` that this key may not read."
    )

    def read_details(self, entry: AuditEntry) -> dict[str, Any]:
        masked = self.read_masked(entry)
        return {name: None if name in masked else value for name, value in entry.details.items()}

    def read_masked(self, entry: AuditEntry) -> list[str]:
        return [] if self.context["reads_addresses"] else _with_addresses(entry.details)


class AuditLinkSerializer(AnswerSerializer):
    """One link of the chain."""

    seq = serializers.IntegerField(source="link.number", help_text="Its place: 1, 2, 3… without a gap.")
    hash = serializers.CharField(
        source="link.hash",
        help_text=(
            "SHA-256, in hex, of the hash before (64 zeros before the first), a line feed, and this JSON in"
            " ASCII, without spaces, names sorted: number (seq), id and actor (its id, or null) as numbers,"
            " at in UTC with microseconds and +00:00, action, subject_kind, subject_id, details."
        ),
    )
    sealed_at = serializers.DateTimeField(source="link.sealed_at")
    entry = AuditEntrySerializer(allow_null=True, help_text="Null where it is not about your platform.")


class AuditPageSerializer(AnswerSerializer):
    """Links in the order of the chain."""

    data = AuditLinkSerializer(many=True, source="links")  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
    next_cursor = NextCursorField(allow_null=True, help_text="Null only as long as the log is empty.")
    has_more = serializers.BooleanField()

    def read_next_cursor(self, page: ChainPage) -> tuple[int] | None:
        return (page.end,) if page.end else None


class AuditHeadSerializer(AnswerSerializer):
    """The end of the chain."""

    seq = serializers.IntegerField(source="number", help_text="0 if nothing is sealed yet.")
    hash = serializers.CharField()


def _with_addresses(details: dict[str, Any]) -> list[str]:
    """Return the members that hold an address; the reason of a rule about one may repeat it."""
    of_address = ("value", "reason") if details.get("kind") == RuleKind.ADDRESS else ()
    return [name for name, value in details.items() if name in of_address or _IPV4.search(str(value))]
