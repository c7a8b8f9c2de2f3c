"""Pictures that come with a post instead of an address."""

from __future__ import annotations

import base64
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from moderation.api.serializers.fields import BoundedListField
from moderation.evidence.addresses import sent_name

MAX_PICTURES = 5
MAX_PICTURE_BYTES = 2_000_000
_MAX_LENGTH = 4 * ((MAX_PICTURE_BYTES + 2) // 3)


@extend_schema_field({"type": "string", "format": "byte", "minLength": 1, "maxLength": _MAX_LENGTH})
class PictureField(serializers.Field[bytes, str, str, Any]):
    """The bytes of a picture, in base64. What they are is found out when they are read."""

    default_error_messages = {
        "invalid": "Must be a string.",
        "base64": "Must be base64 (RFC 4648, section 4), without line ends.",
        "too_large": f"Must have at most {MAX_PICTURE_BYTES:,} bytes.",
    }

    def to_internal_value(self, data: Any) -> bytes:
        if not isinstance(data, str):
            self.fail("invalid")
        if len(data) > _MAX_LENGTH:
            self.fail("too_large")
        try:
            found = base64.b64decode(data, validate=True)
        except ValueError:
            found = b""
        if not found:
            self.fail("base64")
        return found

    def to_representation(self, value: bytes) -> str:
        return base64.b64encode(value).decode()


class PicturesField(BoundedListField):
    """Pictures of a post."""

    def __init__(self, **kwargs: Any) -> None:
        says = f"Pictures themselves, in base64, each of at most {MAX_PICTURE_BYTES:,} bytes."
        super().__init__(child=PictureField(), max_length=MAX_PICTURES, help_text=says, **kwargs)


def named_pictures(attrs: dict[str, Any], *, platform: str) -> dict[str, Any]:
    """Return the fields of a post with its pictures by name, the names before the other `media_urls`."""
    pictures = attrs.pop("pictures", None)
    if not pictures:
        return attrs
    named = {sent_name(data, platform=platform): data for data in pictures}
    return attrs | {"media_urls": [*named, *(attrs.get("media_urls") or ())], "pictures": list(named.items())}
