"""Addresses inside pages and redirects, as a browser opens them, and names of pictures that have none."""

import hashlib
import re
from urllib.parse import urljoin

import can_ada

MOST_CHARACTERS = 2_048
# As browsers read it: https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps
_REFRESH = re.compile(
    r"^\s*(?=[\d.])(\d{0,4})[\d.]*(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?+(?:\"([^\"]*)|'([^']*)|([^\"'].*))",
    re.IGNORECASE | re.DOTALL,
)
_AT_ONCE_SECONDS = 10
_SENT = re.compile(r"sent:[0-9a-f]{64}")
# Tabs and line ends are dropped, a backslash is a slash: https://url.spec.whatwg.org/#url-parsing
_AS_BROWSERS_DO = str.maketrans({"\t": None, "\n": None, "\r": None, "\\": "/"})


def absolute(address: str, *, url: str) -> str:
    """Return an address that a page at `url` names, "" unless it is http or https and of bearable length."""
    if not address.strip() or len(address) > MOST_CHARACTERS:
        return ""
    try:
        target = can_ada.parse(urljoin(url, address.strip().translate(_AS_BROWSERS_DO)))
    except ValueError:
        return ""
    if target.protocol not in ("http:", "https:") or len(target.href) > MOST_CHARACTERS:
        return ""
    return str(target.href)


def refreshed(said: str, *, base: str) -> str:
    """Return the address of a refresh, also of the header of that name; "" if it is late or names none."""
    match = _REFRESH.match(said)
    if not match or int(match[1] or 0) > _AT_ONCE_SECONDS:
        return ""
    return absolute(match[2] or match[3] or match[4] or "", url=base)


def sent_name(data: bytes, *, platform: str) -> str:
    """Return the name of a picture that came with a post; platforms share none."""
    return f"sent:{hashlib.sha256(platform.encode() + bytes(1) + data).hexdigest()}"


def is_sent(url: str) -> bool:
    """Return whether this is the name of a picture that came with a post."""
    return _SENT.fullmatch(url) is not None


def of_media(url: str) -> str:
    """Return where a picture or a recording of a post is looked for, "" if nowhere."""
    return url if is_sent(url) else absolute(url, url="")
