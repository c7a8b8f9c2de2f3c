"""Addresses inside pages and redirects, as a browser opens them."""

from __future__ import annotations

from urllib.parse import urljoin

import can_ada

MOST_CHARACTERS = 2_048
# Tabs and line ends are dropped, a backslash is a slash: https://url.spec.whatwg.org/#url-parsing
_AS_BROWSERS_DO = str.maketrans({"\t": None, "\n": None, "\r": None, "\\": "/"})


def absolute(address: str, *, url: str) -> str:
    """Return an address that a page at `url` names, "" unless it is http or https and of bearable length."""
    if not address.strip() or len(address) > MOST_CHARACTERS:
        return ""
    try:
        found = can_ada.parse(urljoin(url, address.strip().translate(_AS_BROWSERS_DO)))
    except ValueError:
        return ""
    if found.protocol not in ("http:", "https:") or len(found.href) > MOST_CHARACTERS:
        return ""
    return str(found.href)
