"""A comment in Akismet's form, read as a post."""

import hashlib
import ipaddress
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import urlsplit

from rest_framework.exceptions import ValidationError

from integrations.fields import storable
from integrations.text import from_html
from moderation.api.serializers.fields import AddressField
from moderation.api.serializers.posts import MAX_TEXT_LENGTH, MAX_URL_LENGTH
from moderation.operations.posts.incoming_post import IncomingPost, of_fields

_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
_ADDRESS = AddressField()
_PRIVATE = [
    ipaddress.ip_network(one)
    for one in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")
]


def post_of(form: Mapping[str, str], *, at: datetime) -> IncomingPost:
    """Return the comment as a post; the same comment, checked or reported, has the same id."""
    return of_fields(
        {
            "external_id": external_id_of(form),
            "text": _said(form, "comment_content")[:MAX_TEXT_LENGTH],
            "posted_at": _posted_at(form, at=at),
            "author": _author(form),
            "ip": _address(form.get("user_ip", "")),
            "user_agent": storable(form.get("user_agent", ""))[:500],
            # Not `blog_lang`, which is the language of the site's menus.
            "links": [
                url[:MAX_URL_LENGTH] for url in (storable(form.get("comment_author_url", "")),) if url.strip()
            ],
        }
    )


def external_id_of(form: Mapping[str, str]) -> str:
    """Return the id of a comment: a digest of author, text and site.

    It is the same for a comment as typed, and as WordPress keeps and sends it again: without backslashes,
    with HTML cleaned and signs written as entities.
    """
    # Without date, address and browser: a check and a later report of the same comment may differ in them.
    names = ("blog", "permalink", "comment_type", "comment_author", "comment_author_email", "comment_content")
    said = "\0".join(_kept(storable(form.get(name, ""))) for name in names if form.get(name) != "comment")
    return f"akismet:{hashlib.sha256(said.encode()).hexdigest()}"


def is_by_program(form: Mapping[str, str]) -> bool:
    """Tell whether a field was filled in that people do not see: WordPress' own, or the one that is named."""
    return any(form.get(name) for name in ("POST_ak_hp_textarea", form.get("honeypot_field_name", "")))


def host_of(form: Mapping[str, str]) -> str:
    """Return the host name of the site; empty without one."""
    site = form.get("blog", "")
    try:
        return urlsplit(site if "//" in site else f"//{site}").hostname or ""
    except ValueError:
        return ""


def reporter_of(form: Mapping[str, str], *, by: str = "site") -> str:
    """Return the reporter of complaints: one per site, for its own moderators, and one for its form."""
    return f"akismet-{by}:{storable(form.get('blog', ''))}"[:200]


def _author(form: Mapping[str, str]) -> dict[str, str | None]:
    email = storable(form.get("comment_author_email", "")).strip().lower()
    name = _said(form, "comment_author").strip()
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
    """Return the address, unless it is of a private network: then it is the site's own proxy."""
    try:
        given = _ADDRESS.to_internal_value(text.strip())
    except ValidationError:
        return None
    address = ipaddress.ip_address(given)
    is_private = address.is_loopback or address.is_link_local or any(address in net for net in _PRIVATE)
    return None if is_private else given


def _said(form: Mapping[str, str], name: str) -> str:
    """Return what was typed. WordPress puts backslashes before quotes until it has stored a comment."""
    text = storable(form.get(name, ""))
    is_slashed = "comment_post_ID" in form and "comment_ID" not in form
    return re.sub(r"\\(['\"\\])", r"\1", text) if is_slashed else text


def _kept(text: str) -> str:
    text = text.replace("\\", "")
    if "<" in text or "&" in text:
        found = from_html(text)
        text = "\0".join((found.text, *found.links))
    return " ".join(text.split())
