"""Akismet's form fields to a post. Its calls carry no ids: a comment is identified by its content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime

from rest_framework.exceptions import ValidationError

from moderation.api.serializers.fields import MAX_LANGUAGE_LENGTH, AddressField, is_language
from moderation.operations.posts.incoming_post import IncomingPost, of_fields

_MAX_TEXT_LENGTH = 100_000
_MAX_URL_LENGTH = 4_096
_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)


def post_of(form: Mapping[str, str], *, at: datetime) -> IncomingPost:
    """Return the comment as a post; the same comment, checked or reported, has the same id."""
    text = _clean(form.get("comment_content", ""))[:_MAX_TEXT_LENGTH]
    return of_fields(
        {
            "external_id": external_id_of(form),
            "text": text,
            "posted_at": _posted_at(form, at=at),
            "author": _author(form),
            "ip": _address(form.get("user_ip", "")),
            "user_agent": _clean(form.get("user_agent", ""))[:500],
            "language": _language(form.get("blog_lang", "")),
            "links": [
                url[:_MAX_URL_LENGTH] for url in (_clean(form.get("comment_author_url", "")),) if url.strip()
            ],
        }
    )


def external_id_of(form: Mapping[str, str]) -> str:
    """Return the id of a comment: a digest of author, text and site."""
    # Without date, address and browser: a check and a later report of the same comment may differ in them.
    names = ("blog", "permalink", "comment_type", "comment_author", "comment_author_email", "comment_content")
    said = "\0".join(_clean(form.get(name, "")) for name in names)
    return f"akismet:{hashlib.sha256(said.encode()).hexdigest()}"


def reporter_of(form: Mapping[str, str]) -> str:
    """Return the reporter of complaints: one per site, for its own moderators."""
    return f"akismet-site:{_clean(form.get('blog', ''))}"[:200]


def _author(form: Mapping[str, str]) -> dict[str, str | None]:
    email = _clean(form.get("comment_author_email", "")).strip().lower()
    name = _clean(form.get("comment_author", "")).strip()
    known_by = email or name or form.get("user_ip", "")
    domain = email.rpartition("@")[2] if "@" in email else ""
    return {
        # The address itself is not kept, as everywhere here.
        "external_id": f"akismet:{hashlib.sha256(known_by.encode('utf-8', 'replace')).hexdigest()}",
        "display_name": name[:200],
        "email_domain": domain[:253] or None,
    }


def _posted_at(form: Mapping[str, str], *, at: datetime) -> datetime:
    try:
        given = datetime.fromisoformat(form.get("comment_date_gmt", ""))
    except ValueError:
        return at
    given = given if given.tzinfo else given.replace(tzinfo=UTC)
    # Plugins send the clock of the blog's server, often in local time: a wrong one must not lose the comment.
    return given if _EARLIEST < given <= at else at


def _address(text: str) -> str | None:
    try:
        return AddressField().to_internal_value(text.strip())
    except ValidationError:
        return None


def _language(text: str) -> str:
    """Take the first of Akismet's list, en_us,fr_ca, as a language tag."""
    first = text.split(",", maxsplit=1)[0].strip().replace("_", "-")
    return first if len(first) <= MAX_LANGUAGE_LENGTH and is_language(first) else ""


def _clean(text: str) -> str:
    """Remove characters that the database cannot store."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()
