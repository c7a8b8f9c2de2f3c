"""Files of posts with what moderators did: read line by line, columns guessed, lines turned into posts."""

import csv
import io
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import IO, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations import fields, intake
from integrations.connector import Incoming
from moderation.operations.learning.past_posts import PastPost
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost
from moderation.operations.refusals import Refusal

MOST_ROWS, MOST_COLUMNS, MOST_VALUES = 200_000, 100, 20
_LONGEST, _ID = 100_000, 200
_DECIDED_AFTER = timedelta(days=1)
"""When moderators had acted, if the file does not say: histories know nothing too early."""

_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
_MILLISECONDS = 100_000_000_000

FIELDS = {
    "text": gettext_lazy("Text"),
    "posted_at": gettext_lazy("Time of the post"),
    "action": gettext_lazy("What moderators did"),
    "author": gettext_lazy("Author"),
    "decided_at": gettext_lazy("Time of the action"),
    "language": gettext_lazy("Language"),
    "id": gettext_lazy("Id of the post"),
    "links": gettext_lazy("Links"),
    "joined_at": gettext_lazy("Author's account since"),
}
NEEDED = ("text", "posted_at", "action")
MEANINGS = {
    "spam": gettext_lazy("spam"),
    "not_spam": gettext_lazy("not spam"),
    "kept": gettext_lazy("not spam, nobody looked"),
    "unknown": gettext_lazy("not known"),
}
_NAMES = {
    "text": "text body content message comment post raw cooked",
    "posted_at": "posted_at created_at time date timestamp published published_at created",
    "action": "action decision verdict label status is_spam spam removed moderation result outcome",
    "author": "author author_id author.id user user_id username account account_id user.id",
    "decided_at": "decided_at actioned_at removed_at reviewed_at moderated_at action_time action_at",
    "language": "language lang locale",
    "id": "id post_id external_id uri comment_id",
    "links": "links urls",
    "joined_at": "joined_at author_created_at author.created_at user.created_at registered_at",
}
_SPAM = "spam scam remove removed delete deleted ban banned reject rejected hide hidden 1 true yes"
_NOT_SPAM = "ham ok approve approved allow allowed dismiss dismissed ignore ignored not_spam 0 false no"
_KEPT = {"", "none", "null", "keep", "kept", "visible", "published"}


class Unreadable(Refusal):
    """The file cannot be read; the text names line and field."""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Which column is which field, and what the values of the action mean; the rest is not known.

    `is_whole`: the file has every post of its time, not only those that somebody looked at. `seconds` is
    what a post takes the moderators.
    """

    names: Mapping[str, str]
    actions: Mapping[str, str] = field(default_factory=dict)
    is_whole: bool = False
    seconds: int = 30


Row = dict[str, str]


def rows(name: str, file: IO[bytes]) -> Iterator[tuple[int, Row]]:
    """Yield the lines of a file, numbered as in an editor: CSV with a head, or an object a line. UTF-8.

    Raises Unreadable.
    """
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    found = _objects(text) if name.lower().endswith((".jsonl", ".ndjson", ".json")) else _table(text)
    try:
        for count, (line, row) in enumerate(found, start=1):
            if count > MOST_ROWS:
                raise Unreadable(_("More than %(most)d lines: cut the file.") % {"most": MOST_ROWS})
            yield line, row
    except UnicodeDecodeError as wrong:
        raise Unreadable(_("Not UTF-8 (byte %(byte)d of a block).") % {"byte": wrong.start}) from wrong
    finally:
        text.detach()  # the caller closes the file


def _table(text: io.TextIOWrapper) -> Iterator[tuple[int, Row]]:
    head = text.readline(_LONGEST)
    separator = max(",;\t", key=head.count)
    reader = csv.reader(itertools.chain([head], text), delimiter=separator, strict=True)
    try:
        names = [fields.storable(name.strip(), _ID) for name in next(reader, [])]
        if not any(names) or len(names) != len(set(names)) or len(names) > MOST_COLUMNS:
            raise Unreadable(_("Line 1 must name the columns, each by a name of its own."))
        for cells in reader:
            if cells and len(cells) != len(names):
                numbers = {"line": reader.line_num, "found": len(cells), "named": len(names)}
                raise Unreadable(
                    _("Line %(line)d has %(found)d fields, the first line names %(named)d.") % numbers
                )
            if cells:
                yield (
                    reader.line_num,
                    {name: fields.storable(cell) for name, cell in zip(names, cells, strict=True)},
                )
    except csv.Error as wrong:
        raise Unreadable(_("Line %(line)d: %(why)s") % {"line": reader.line_num, "why": wrong}) from wrong


def _objects(text: io.TextIOWrapper) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(text, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as wrong:
            raise Unreadable(_("Line %(line)d: %(why)s") % {"line": number, "why": "not JSON"}) from wrong
        if not isinstance(row, dict) or len(row) > MOST_COLUMNS:
            raise Unreadable(_("Line %(line)d: %(why)s") % {"line": number, "why": "no object"})
        yield number, dict(_flat(row))


def _flat(row: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the members of an object and of those within it, as "author.id"."""
    for name, value in row.items():
        if isinstance(value, dict) and not prefix:
            yield from _flat(value, f"{name}.")
        elif value is None or isinstance(value, str | int | float):
            text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
            yield fields.storable(f"{prefix}{name}", _ID), fields.storable(text)


def guessed(columns: Iterable[str]) -> dict[str, str]:
    """Return which column is probably which field, by its name."""
    by_name = {name.lower().replace(" ", "_"): name for name in reversed(list(columns))}
    found: dict[str, str] = {}
    for part, names in _NAMES.items():
        column = next((by_name[name] for name in names.split() if name in by_name), "")
        if column and column not in found.values():
            found[part] = column
    return found


def meaning(action: str) -> str:
    """Return what a value of the action probably means."""
    word = action.strip().lower()
    if word in _KEPT:
        return "kept"
    return "spam" if word in _SPAM.split() else "not_spam" if word in _NOT_SPAM.split() else "unknown"


def past_post(row: Row, *, line: int, columns: Columns, at: datetime) -> PastPost:
    """Return the post of a line. Raises Unreadable, which names the column."""
    names = columns.names
    given = {part: row.get(name, "").strip() for part, name in names.items()}
    posted_at = _instant(given["posted_at"], column=names["posted_at"], at=at)
    decided_at = posted_at + _DECIDED_AFTER
    if given.get("decided_at"):
        decided_at = max(posted_at, _instant(given["decided_at"], column=names["decided_at"], at=at))
    meant = columns.actions.get(given["action"], "unknown")
    joined_at = given.get("joined_at") and _instant(given["joined_at"], column=names["joined_at"], at=at)
    post = IncomingPost(
        external_id=given.get("id") or f"line-{line}",
        text=row.get(names["text"], ""),
        posted_at=posted_at,
        author=IncomingAuthor(
            external_id=given.get("author") or f"line-{line}", created_at=joined_at or None
        ),
        language=given.get("language", ""),
        links=tuple(url for url in given.get("links", "").split() if url.startswith(("http://", "https://"))),
    )
    return PastPost(
        post=intake.cleaned(post, at=at),
        is_spam={"spam": True, "not_spam": False, "kept": False}.get(meant),
        is_judged=meant in ("spam", "not_spam"),
        decided_at=decided_at,
    )


def row_of(piece: Incoming) -> Row:
    """Return what moderators of a platform did as a line whose columns have the names of the fields."""
    post, action = piece.post, {True: "spam", False: "not_spam", None: "unknown"}[piece.was_spam]
    row = {"text": post.text, "posted_at": post.posted_at.isoformat(), "action": action}
    row |= {"author": post.author.external_id, "language": post.language, "id": post.external_id}
    times = {"decided_at": piece.decided_at, "joined_at": post.author.created_at}
    row |= {name: time.isoformat() for name, time in times.items() if time and time >= _EARLIEST}
    return {name: fields.storable(value) for name, value in (row | {"links": " ".join(post.links)}).items()}


def _instant(value: str, *, column: str, at: datetime) -> datetime:
    """Read a time: ISO 8601, UTC without an offset, or seconds or milliseconds since 1970."""
    found = fields.instant({"time": value.removesuffix(" UTC")}, "time")
    if found is None and value.replace(".", "", 1).isascii() and value.replace(".", "", 1).isdigit():
        seconds = float(value)
        seconds = seconds / 1_000 if seconds > _MILLISECONDS else seconds
        found = datetime.fromtimestamp(min(seconds, _MILLISECONDS), tz=UTC)
    if found is None or not _EARLIEST <= found <= at:
        raise Unreadable(
            f"{column}: " + _("no time from 2000 until now: “%(value)s”") % {"value": value[:40]}
        )
    return found
