"""What a page asks for and offers: forms, downloads, another page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from moderation.evidence.addresses import absolute
from moderation.evidence.facts import Download, Form, line

MOST_FORMS, MOST_DOWNLOADS, MOST_LINKS = 20, 20, 5_000
_REFRESH = re.compile(r"^\s*(\d{1,4})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"']+)", re.IGNORECASE)
_AT_ONCE_SECONDS = 10
_FILES = re.compile(
    r"\.(7z|apk|app|bat|cmd|com|deb|dll|dmg|docm|exe|gz|hta|img|ipa|iso|jar|jse?|lnk|msi|pkg|ps1|rar|rpm|scr|sh"
    r"|vbs|wsf|xlsm|xpi|zip)$",
    re.IGNORECASE,
)


def forms(tree: Any, *, url: str) -> list[Form]:
    """Return the page's forms. A password field outside of any form counts as one that posts nowhere."""
    found = [_form(form, url=url) for form in _first(tree.iterfind(".//form"), MOST_FORMS)]
    if not any(form.asks_password for form in found) and _asks_password(tree):
        found.append(Form(action_host="", posts_elsewhere=False, asks_password=True))
    return found


def downloads(tree: Any, *, url: str) -> list[Download]:
    """Return links to files that run, install or unpack, and those that the page marks as downloads."""
    found: dict[str, Download] = {}
    for link in _first(tree.iterfind(".//a"), MOST_LINKS):
        target = absolute(link.get("href", ""), url=url)
        name = line(link.get("download")) or _file_name(target)
        if target and (link.get("download") is not None or _is_file(name)):
            found.setdefault(target, Download(url=target, name=name))
        if len(found) == MOST_DOWNLOADS:
            break
    return list(found.values())


def refresh_url(tree: Any, *, url: str) -> str:
    """Return where the page sends a browser within seconds by itself, "" if nowhere else."""
    for meta in tree.iterfind(".//meta"):
        if (meta.get("http-equiv") or "").strip().lower() == "refresh":
            said = _REFRESH.match(meta.get("content") or "")
            if said and int(said[1]) <= _AT_ONCE_SECONDS:
                target = absolute(said[2], url=url)
                return "" if target == url else target
    return ""


def _form(form: Any, *, url: str) -> Form:
    target = absolute(form.get("action") or url, url=url)
    host = urlsplit(target).hostname or ""
    return Form(
        action_host=line(host),
        posts_elsewhere=bool(host) and host != (urlsplit(url).hostname or ""),
        asks_password=_asks_password(form),
    )


def _asks_password(part: Any) -> bool:
    return any((field.get("type") or "").strip().lower() == "password" for field in part.iter("input"))


def _first(elements: Iterator[Any], most: int) -> Iterator[Any]:
    return (element for element, _ in zip(elements, range(most), strict=False))


def _file_name(url: str) -> str:
    return line(urlsplit(url).path.rpartition("/")[2])


def _is_file(name: str) -> bool:
    return bool(_FILES.search(name))
