"""JSON to a post, with a fast path for plainly valid input, which nearly all is.

The fast path accepts nothing that the serializer refuses and gives the same post. Everything else goes
through the serializer, which names every error and takes six times as long.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from rest_framework.exceptions import ValidationError

from moderation.api.serializers import posts as rules
from moderation.api.serializers.fields import (
    MAX_LANGUAGE_LENGTH,
    MAX_WHOLE_NUMBER,
    AddressField,
    InstantField,
    is_language,
)
from moderation.api.serializers.posts import PostSerializer
from moderation.models.posts import ACCOUNT_PREFIX
from moderation.operations.posts.incoming_post import IncomingPost, of_fields

_Check = Callable[[Any], bool]
_INSTANT, _ADDRESS = InstantField(), AddressField()


def read(data: Any, *, platform: str, is_lenient: bool = False) -> IncomingPost:
    """Return a post of this platform as the operation takes it. Raises ValidationError."""
    return plain(data, platform=platform) or careful(data, platform=platform, is_lenient=is_lenient)


def careful(data: Any, *, platform: str, is_lenient: bool = False) -> IncomingPost:
    """Return the post as the serializer reads it. Raises ValidationError."""
    fields = dict(_serializer(platform, is_lenient=is_lenient).run_validation(data))
    fields.pop("platform", None)
    return of_fields(fields)


@functools.lru_cache(maxsize=256)
def _serializer(platform: str, *, is_lenient: bool) -> PostSerializer:
    """Keep one per platform: building its fields costs more than reading a post with them."""
    return PostSerializer(context={"platform": platform, "is_lenient": is_lenient})


def plain(data: Any, *, platform: str) -> IncomingPost | None:
    """Return the post by the fast path, None if the serializer must validate it."""
    fields = _fields(data, _POST, required=_REQUIRED)
    author = _fields(fields["author"], _AUTHOR, required=_REQUIRED_ID) if fields else None
    if fields is None or author is None or fields.pop("platform", platform) != platform:
        return None
    if not (fields["text"] or fields.get("links") or fields.get("media_urls")):
        return None
    if "parent" in fields and not _is_plain_parent(fields):
        return None
    try:
        fields["posted_at"] = _INSTANT.to_internal_value(fields["posted_at"])
        if "created_at" in author:
            author["created_at"] = _INSTANT.to_internal_value(author["created_at"])
        if "ip" in fields:
            fields["ip"] = _ADDRESS.to_internal_value(fields["ip"])
    except ValidationError:
        return None
    return of_fields(fields | {"author": author})


def _is_plain_parent(fields: dict[str, Any]) -> bool:
    """Return whether the parent is plainly valid; leave out its nulls."""
    parent = fields["parent"] = _fields(fields["parent"], _PARENT, required=_REQUIRED_ID)
    if parent is None or rules.is_own_parent(fields):
        return False
    if "author" in parent:
        parent["author"] = _fields(parent["author"], _PARENT_AUTHOR, required=_REQUIRED_ID)
    return parent.get("author", parent) is not None


def _fields(data: Any, checks: Mapping[str, _Check], *, required: frozenset[str]) -> dict[str, Any] | None:
    """Return the given fields, without nulls; None if anything is not plainly valid."""
    if type(data) is not dict or not data.keys() <= checks.keys():
        return None
    given = {name: value for name, value in data.items() if value is not None}
    if not required <= given.keys():
        return None
    for name, value in given.items():
        if not checks[name](value):
            return None
    return given


def _text(longest: int, *, shortest: int = 0) -> _Check:
    def check(value: Any) -> bool:
        return type(value) is str and shortest <= len(value) <= longest and _is_storable(value)

    return check


def _is_storable(text: str) -> bool:
    """PostgreSQL stores neither NUL nor half a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _texts(most: int) -> _Check:
    is_url = _text(rules.MAX_URL_LENGTH, shortest=1)

    def check(value: Any) -> bool:
        return type(value) is list and len(value) <= most and all(map(is_url, value))

    return check


def _whole(value: Any) -> bool:
    # Not isinstance: True and False are integers to Python.
    return type(value) is int and 0 <= value <= MAX_WHOLE_NUMBER


def _is_language(value: Any) -> bool:
    return type(value) is str and len(value) <= MAX_LANGUAGE_LENGTH and (not value or is_language(value))


def _is_email_domain(value: Any) -> bool:
    return _text(253, shortest=1)(value) and rules.is_email_domain(value)


def _is_journey(value: Any) -> bool:
    if type(value) is not list or len(value) > rules.MAX_JOURNEY_STEPS:
        return False
    before = 0
    for step in value:
        if not rules.is_plain_step(step) or step["at_ms"] < before:
            return False
        before = step["at_ms"]
    return True


def _any(_value: Any) -> bool:
    """Looked at later."""
    return True


_NAME = _text(200, shortest=1)
_AUTHOR: dict[str, _Check] = {
    "external_id": _NAME,
    "display_name": _text(200),
    "created_at": _any,
    "email_domain": _is_email_domain,
    "friends": _whole,
    "followers": _whole,
    "is_verified": lambda value: type(value) is bool,
    "posts": _whole,
}
_PARENT_AUTHOR: dict[str, _Check] = {"external_id": _NAME, "display_name": _text(200)}
_PARENT: dict[str, _Check] = {
    "external_id": _NAME,
    "text": _text(rules.MAX_PARENT_TEXT_LENGTH),
    "author": _any,
}
_POST: dict[str, _Check] = {
    "external_id": lambda value: _NAME(value) and not value.startswith(ACCOUNT_PREFIX),
    "revision": lambda value: _whole(value) and value > 0,
    "platform": _any,
    "parent": _any,
    "text": _text(rules.MAX_TEXT_LENGTH),
    "language": _is_language,
    "posted_at": _any,
    "author": _any,
    "ip": _any,
    "ip_asn": _whole,
    "user_agent": _text(500),
    "links": _texts(rules.MAX_LINKS),
    "media_urls": _texts(rules.MAX_MEDIA_URLS),
    "journey": _is_journey,
    "shares": _whole,
    "comments": _whole,
    "views": _whole,
}
_REQUIRED = frozenset(("external_id", "text", "posted_at", "author"))
_REQUIRED_ID = frozenset(("external_id",))
