"""Coop's report call (`roostorg/coop`, docs/api/report.md) as a way to send complaints.

A customer of Coop changes the host alone. Errors are problems, as everywhere below /api/.
"""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import KeyAuthentication, key_of, platform_of
from moderation.api.errors import Refused
from moderation.api.serializers.fields import InstantField, TextField
from moderation.api.serializers.incoming_post import read
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.api.views.posts import Complaints
from moderation.models.platforms import Scope
from moderation.models.posts import ComplaintReason
from moderation.operations.posts import ingest
from moderation.operations.posts.complaints import IncomingComplaint

# Customers name the fields of their items themselves: these are the names that mean the same to most.
_WORDS = ("title", "text", "content", "body", "message", "caption", "description")
_AUTHORS = ("creatorId", "creator", "authorId", "author", "ownerId", "owner", "userId", "user")


class _Named(StrictSerializer):
    id = TextField(max_length=200)


class _Item(_Named):
    data = serializers.DictField(**OPTIONAL)  # type: ignore[assignment]  # a field, taken out by the metaclass


class _Reason(StrictSerializer):
    policyId = TextField(allow_blank=True, **OPTIONAL)  # noqa: N815 - Coop's name
    reason = TextField(allow_blank=True, **OPTIONAL)
    csam = serializers.BooleanField(**OPTIONAL)


class _Report(StrictSerializer):
    reporter = _Named()
    reportedAt = InstantField()  # noqa: N815 - Coop's name
    reportedItem = _Item()  # noqa: N815 - Coop's name
    reportedForReason = _Reason(**OPTIONAL)  # noqa: N815 - Coop's name


class _Key(KeyAuthentication):
    def secret_of(self, request: Request) -> str | None:
        return request.headers.get("X-API-KEY")


class Reports(Complaints):
    """POST /api/v1/report"""

    authentication_classes = [_Key]
    schema = None

    def post(self, request: Request) -> Response:
        """Store a report, and what its item says unless the post is known."""
        if Scope.COMPLAINTS_WRITE not in key_of(request).scopes:
            raise Refused("missing_scope", f"This needs a key with the scope {Scope.COMPLAINTS_WRITE}.")
        reader = _Report(data=request.data, context={"is_lenient": True})
        reader.is_valid(raise_exception=True)
        report = reader.validated_data
        item, why = report["reportedItem"], report.get("reportedForReason", {})
        if why.get("csam"):
            said = "Spamdesk has no path for child abuse material: report it where the law says."
            raise ValidationError({"reportedForReason": {"csam": [said]}})
        if Scope.POSTS_WRITE in key_of(request).scopes and (fields := _fields(item)):
            fields |= {"external_id": item["id"], "posted_at": report["reportedAt"].isoformat()}
            platform = platform_of(request)
            # A post that the platform sent itself stays as it is: then this one is refused.
            ingest.accept(platform=platform, posts=[read(fields, platform=platform.slug)], at=timezone.now())
        reason = why.get("policyId", "").lower()
        complaint = IncomingComplaint(
            post=item["id"],
            reporter=report["reporter"]["id"],
            reason=reason if reason in ComplaintReason.values else ComplaintReason.OTHER.value,
            note=why.get("reason", "")[:2_000],
            reported_at=report["reportedAt"],
        )
        return Response({"reportId": str(self.stored(request, complaint).pk)}, status=201)


def _fields(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return text, pictures and author of an item's data; nothing if it has no text."""
    data = item.get("data", {})
    said = [data[name] for name in _WORDS if isinstance(data.get(name), str) and data[name].strip()]
    # A reference to another item has its id inside. Without a name every item has an author of its own: one
    # for all would look like a flood.
    known = [one.get("id") if isinstance(one, dict) else one for one in map(data.get, _AUTHORS) if one]
    author = str(next(iter(known), None) or f"author of {item['id']}")[:200]
    listed = data.get("images")
    images = [url for url in listed if isinstance(url, str)] if isinstance(listed, list) else []
    fields = {"text": "\n\n".join(said), "author": {"external_id": author}, "media_urls": images[:20]}
    return fields if said else {}
