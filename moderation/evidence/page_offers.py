"""What a page asks for and offers: forms, downloads, another page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from moderation.evidence.addresses import absolute
from moderation.evidence.facts import Download, Form, line

MOST_FORMS, MOST_DOWNLOADS, MOST_LINKS, MOST_FIELDS = 20, 20, 5_000, 1_000
# As browsers read it: https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps
_REFRESH = re.compile(
    r"^\s*(?=[\d.])(\d{0,4})[\d.]*(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?+(?:\"([^\"]*)|'([^']*)|([^\"'].*))",
    re.IGNORECASE | re.DOTALL,
)
_AT_ONCE_SECONDS = 10
_INSIDE = re.compile(r"\s*(?:data|blob):", re.IGNORECASE)
_UNNAMED = "file"
_FILES = re.compile(
    r"\.(7z|apk|app|bat|cmd|com|deb|dll|dmg|docm|exe|gz|hta|img|ipa|iso|jar|jse?|lnk|msi|pkg|ps1|rar|rpm|scr|sh"
    r"|vbs|wsf|xlsm|xpi|zip)$",
    re.IGNORECASE,
)


def base_url(tree: Any, *, url: str) -> str:
    """Return the address that a page's own addresses are relative to: its own, or what it names instead."""
    for base in tree.iterfind(".//base"):
        if base.get("href") is not None:
            return absolute(base.get("href"), url=url) or url
    return url


def forms(tree: Any, *, url: str, base: str) -> list[Form]:
    """Return the page's forms. A password field outside of any form counts as one that posts nowhere."""
    named = _named_fields(tree)
    page_forms = [
        _form(
            form,
            fields=[*form.iter("input", "button"), *named.get(form.get("id") or "", ())],
            url=url,
            base=base,
        )
        for form in islice(tree.iterfind(".//form"), MOST_FORMS)
    ]
    if not any(form.asks_password for form in page_forms) and _asks_password(tree.iter("input")):
        page_forms.append(Form(action_host="", posts_elsewhere=False, asks_password=True))
    return page_forms


def downloads(tree: Any, *, base: str) -> list[Download]:
    """Return links to files that run, install or unpack, and those that the page marks as downloads.

    A file that the page carries itself has no address.
    """
    files: dict[tuple[str, str], Download] = {}
    for link in islice(tree.iter("a", "area"), MOST_LINKS):
        href, marked = link.get("href") or "", link.get("download")
        target = absolute(href, url=base)
        is_inside = not target and marked is not None and bool(_INSIDE.match(href))
        name = line(marked) or _file_name(target)
        if is_inside or (target and (marked is not None or _is_file(name))):
            key = (target, name if is_inside else "")
            files.setdefault(key, Download(url=target, name=name or _UNNAMED))
        if len(files) == MOST_DOWNLOADS:
            break
    return list(files.values())


def refresh_url(tree: Any, *, url: str, base: str) -> str:
    """Return where the page sends a browser within seconds by itself, "" if nowhere else."""
    for meta in tree.iterfind(".//meta"):
        if (meta.get("http-equiv") or "").strip().lower() == "refresh":
            target = refreshed(meta.get("content") or "", base=base)
            if target:
                return "" if target == url else target
    return ""


def refreshed(said: str, *, base: str) -> str:
    """Return the address of a refresh, also of the header of that name; "" if it is late or names none."""
    match = _REFRESH.match(said)
    if not match or int(match[1] or 0) > _AT_ONCE_SECONDS:
        return ""
    return absolute(match[2] or match[3] or match[4] or "", url=base)


def _named_fields(tree: Any) -> dict[str, list[Any]]:
    """Return the fields that name their form instead of standing in it, by its id."""
    named: dict[str, list[Any]] = defaultdict(list)
    for field in islice(tree.iter("input", "button"), MOST_FIELDS):
        if field.get("form"):
            named[field.get("form")].append(field)
    return named


def _form(form: Any, *, fields: Sequence[Any], url: str, base: str) -> Form:
    """Describe a form; a button may send what is typed elsewhere than the form says."""
    own = absolute(form.get("action") or url, url=base)
    buttons = [absolute(field.get("formaction"), url=base) for field in fields if field.get("formaction")]
    hosts = [urlsplit(target).hostname or "" for target in (own, *buttons)]
    here = urlsplit(url).hostname or ""
    elsewhere = [host for host in hosts if host and host != here]
    return Form(
        action_host=line(elsewhere[0] if elsewhere else hosts[0]),
        posts_elsewhere=bool(elsewhere),
        asks_password=_asks_password(fields),
    )


def _asks_password(fields: Iterable[Any]) -> bool:
    return any((field.get("type") or "").strip().lower() == "password" for field in fields)


def _file_name(url: str) -> str:
    return line(urlsplit(url).path.rpartition("/")[2])


def _is_file(name: str) -> bool:
    return bool(_FILES.search(name))
