"""What is found in pages, pictures, captions and recordings; texts and lists are capped and can be stored."""

import re
from dataclasses import dataclass
from enum import StrEnum

MOST_TEXT = 20_000
"""Characters of a text that are kept."""
MOST_LINE = 300
"""Characters of a title, a name or a value that are kept."""

# PostgreSQL stores neither NUL nor half a surrogate pair; other control characters say nothing.
_UNSTORABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


class Reason(StrEnum):
    """Why bytes could not be read."""

    WRONG_KIND = "wrong_kind"
    TOO_LARGE = "too_large"
    BROKEN = "broken"
    NOT_INSTALLED = "not_installed"


class Unreadable(Exception):
    """The bytes say nothing that can be read."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form of a page; `action_host` is where it posts, empty if that is no web address."""

    action_host: str
    posts_elsewhere: bool
    asks_password: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A file that a page offers."""

    url: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """What a page says.

    `article` is its main text, `text` all that can be seen. `refresh_url` is where the page sends a browser
    at once, `preview_url` its picture. `is_cut` says that only the beginning was read.
    """

    title: str = ""
    description: str = ""
    language: str = ""
    open_graph: dict[str, str]
    article: str = ""
    text: str = ""
    forms: list[Form]
    downloads: list[Download]
    refresh_url: str = ""
    preview_url: str = ""
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """What is said from `start_ms` to `end_ms`, in milliseconds from the start of the video."""

    start_ms: int
    end_ms: int
    text: str


def line(text: object) -> str:
    """Return a title, a name or a value as one storable line; "" for what is no text."""
    return " ".join(storable(text).split())[:MOST_LINE] if isinstance(text, str) else ""


def storable(text: str, *, most: int = MOST_TEXT) -> str:
    """Return a text without what PostgreSQL refuses, of at most so many characters."""
    return _UNSTORABLE.sub("", text[: 2 * most])[:most].strip()
