"""The audit log in answers."""

from __future__ import annotations

import re
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.cursor_format import NextCursorField
from moderation.models import AuditEntry
from moderation.models.rules import RuleKind
from moderation.queries import keyset
from moderation.queries.audit.audit_chain import ChainPage, Link
from moderation.queries.wire import instant

_IPV4 = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)")
"""An address in words that somebody wrote; those of version 6 stand in rules about addresses alone."""


class ActorSerializer(serializers.Serializer[Any]):
    """Who acted."""

    id = serializers.CharField()
    name = serializers.CharField()


class AuditEntrySerializer(serializers.Serializer[Any]):
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


class AuditLinkSerializer(serializers.Serializer[Any]):
    """One link of the chain."""

    seq = serializers.IntegerField(help_text="Its place: 1, 2, 3… without a gap.")
    hash = serializers.CharField(help_text="SHA-256 of the hash before it and the entry, in hex.")
    sealed_at = serializers.DateTimeField()
    entry = AuditEntrySerializer(allow_null=True, help_text="Null where it is not about your platform.")


class AuditPageSerializer(serializers.Serializer[Any]):
    """Links in the order of the chain."""

    data = AuditLinkSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
    next_cursor = NextCursorField(allow_null=True, help_text="Null only as long as the log is empty.")
    has_more = serializers.BooleanField()


class AuditHeadSerializer(serializers.Serializer[Any]):
    """The end of the chain."""

    seq = serializers.IntegerField(help_text="0 if nothing is sealed yet.")
    hash = serializers.CharField()


def chain_page(page: ChainPage, *, reads_addresses: bool) -> dict[str, Any]:
    return {
        "data": [_link(one, reads_addresses=reads_addresses) for one in page.links],
        "next_cursor": keyset.encode((page.end,)) if page.end else None,
        "has_more": page.has_more,
    }


def _link(one: Link, *, reads_addresses: bool) -> dict[str, Any]:
    return {
        "seq": one.link.number,
        "hash": one.link.hash,
        "sealed_at": instant(one.link.sealed_at),
        "entry": _entry(one.entry, reads_addresses=reads_addresses) if one.entry else None,
    }


def _entry(entry: AuditEntry, *, reads_addresses: bool) -> dict[str, Any]:
    masked = [] if reads_addresses else _with_addresses(entry.details)
    actor = entry.actor
    return {
        "id": str(entry.pk),
        "at": instant(entry.at),
        "actor": {"id": str(actor.pk), "name": str(actor)} if actor else None,
        "action": entry.action,
        "subject_kind": entry.subject_kind,
        "subject_id": entry.subject_id,
        "details": {name: None if name in masked else value for name, value in entry.details.items()},
        "masked": masked,
    }


def _with_addresses(details: dict[str, Any]) -> list[str]:
    """Return the members that hold an address; the reason of a rule about one may repeat it."""
    of_address = ("value", "reason") if details.get("kind") == RuleKind.ADDRESS else ()
    return [name for name, value in details.items() if name in of_address or _IPV4.search(str(value))]
