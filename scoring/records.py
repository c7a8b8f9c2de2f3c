"""The frozen picture of a post and its history at one instant: the only input of scoring.

It holds everything that features may read, so a stored record can be scored again with the same result.
Nothing is computed here; unknown is None, never zero.
"""

import dataclasses
import types
import typing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

from scoring.evidence import EvidencePiece

# Fields added later have defaults, so records stored without them are read as unknown.
RECORD_VERSION = 1

RECENT_HALF_LIFE_DAYS = 30.0


class InvalidRecord(ValueError):
    """A stored record that cannot be read back; the message names the field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Facts known of an author, an address or a domain strictly before the record's instant.

    Counts are of posts on this platform, the judged post excluded. `confirmed_*` count human decisions only,
    so the filter never learns from its own verdicts; `recent_*` are the same decisions, each counting half as
    much for every RECENT_HALF_LIFE_DAYS that the post is old.
    """

    posts: int = 0
    posts_24h: int = 0
    confirmed_spam: int = 0
    confirmed_not_spam: int = 0
    complaints: int = 0
    authors: int = 0
    first_seen_at: datetime | None = None
    recent_spam: float = 0.0
    recent_not_spam: float = 0.0
    spam_days: int = 0
    spam_authors: int = 0
    spam_complaints: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorSnapshot:
    """The author as the platform described them with this revision; None if the platform did not send it."""

    external_id: str
    display_name: str = ""
    created_at: datetime | None = None
    email_domain: str | None = None
    friends: int | None = None
    followers: int | None = None
    is_verified: bool | None = None
    posts: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JourneyStep:
    """One step in the platform's interface on the way to the post; `at_ms` counts from the first step."""

    name: str
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkReputation:
    """Answers of reputation providers about a link's URL or domain; None if none answered.

    `trust_score` runs from 0 (distrusted) to 100, `threat_score` from 0 to 1 (surely a threat);
    `live_since_at` is when the link, or else its domain, went live on the web.
    """

    trust_score: float | None = None
    threat_score: float | None = None
    live_since_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link of the post.

    `domain` is the registrable domain, empty for an address such as http://10.1.2.3/. `hops` are the other
    hosts that the link was seen to lead through, the last one where it ends; empty if it was not followed.
    """

    url: str
    host: str
    domain: str
    domain_history: History = History()
    url_posts: int = 0
    author_posts: int = 0
    reputation: LinkReputation = LinkReputation()
    hops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplaintRecord:
    """A complaint about the post; `reporter_*` count the reporter's earlier ones that moderators judged.

    `note` is the digest of its note, folded (case, spaces and digits say nothing): equal for copies, readable
    for nobody; empty without a note.
    """

    reason: str
    reported_at: datetime
    reporter_confirmed: int = 0
    reporter_rejected: int = 0
    reporter_seen_at: datetime | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostRecord:
    """One revision of a post as it stood at the instant `at`; all times are timezone-aware UTC.

    Of an account (`is_account`) the text is its profile, and `posted_at` when it came in first. `similar` are
    near-duplicates of the text, `resembling` the posts of other accounts that look like the author's.
    `evidence` is what had been collected by then, in the order of the post.
    """

    platform: str
    external_id: str
    revision: int
    at: datetime
    posted_at: datetime
    text: str
    language: str = ""
    author: AuthorSnapshot
    author_history: History = History()
    same_text_by_author: int = 0
    ip: str | None = None
    ip_history: History = History()
    ip_network_history: History = History()
    ip_asn: int | None = None
    ip_asn_history: History = History()
    email_domain_history: History = History()
    resembling: History = History()
    links: tuple[Link, ...] = ()
    journey: tuple[JourneyStep, ...] = ()
    complaints: tuple[ComplaintRecord, ...] = ()
    similar: History = History()
    shares: int | None = None
    comments: int | None = None
    evidence: tuple[EvidencePiece, ...] = ()
    is_account: bool = False
    version: int = RECORD_VERSION

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times as ISO 8601 with offset. Only accounts say what they are."""
        values = typing.cast("dict[str, Any]", plain(self))
        return values if self.is_account else {name: values[name] for name in values if name != "is_account"}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """Read a stored record. Raises InvalidRecord naming the missing, unknown or wrongly typed field."""
        if not isinstance(stored, dict) or stored.get("version") != RECORD_VERSION:
            raise InvalidRecord(f"version: this library reads record version {RECORD_VERSION}")
        return typing.cast("Self", _build(cls, stored, path="record"))


NOTHING_KNOWN = PostRecord(
    platform="",
    external_id="",
    revision=1,
    at=datetime(2026, 1, 1, tzinfo=UTC),
    posted_at=datetime(2026, 1, 1, tzinfo=UTC),
    text="",
    author=AuthorSnapshot(external_id=""),
)
"""A post about which nothing is known: the reference for every known value."""


def plain(part: object, *, is_lean: bool = False) -> object:
    """Return a part of a record as plain JSON values; a lean one without defaults, collected pieces aside."""
    if dataclasses.is_dataclass(part):
        leaves_out = is_lean and isinstance(part, PostRecord | History | Link | LinkReputation)
        return {
            field.name: plain(value, is_lean=is_lean)
            for field in dataclasses.fields(part)
            if (value := getattr(part, field.name)) != field.default or not leaves_out
        }
    if isinstance(part, tuple):
        return [plain(item, is_lean=is_lean) for item in part]
    return part.isoformat() if isinstance(part, datetime) else part


def _build(kind: Any, stored: object, *, path: str) -> object:
    """Build a value of type `kind`: a record part, a tuple of parts, an optional, or a plain value."""
    origin = typing.get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        inner = next(option for option in typing.get_args(kind) if option is not type(None))
        return None if stored is None else _build(inner, stored, path=path)
    if origin is tuple:
        if not isinstance(stored, list):
            raise InvalidRecord(f"{path}: expected a list")
        inner = typing.get_args(kind)[0]
        return tuple(_build(inner, item, path=f"{path}[{index}]") for index, item in enumerate(stored))
    if dataclasses.is_dataclass(kind):
        return _build_part(kind, stored, path=path)
    return _buildplain(kind, stored, path=path)


def _build_part(kind: Any, stored: object, *, path: str) -> object:
    if not isinstance(stored, dict):
        raise InvalidRecord(f"{path}: expected an object")
    hints = _hints(kind)
    unknown = stored.keys() - hints.keys()
    if unknown:
        raise InvalidRecord(f"{path}.{min(unknown)}: unknown field")
    values = {name: _build(hints[name], value, path=f"{path}.{name}") for name, value in stored.items()}
    try:
        return kind(**values)
    except TypeError as missing:
        raise InvalidRecord(f"{path}: {missing}") from None


def _buildplain(kind: Any, stored: object, *, path: str) -> object:
    if kind is datetime and isinstance(stored, str):
        try:
            return datetime.fromisoformat(stored)
        except ValueError:
            raise InvalidRecord(f"{path}: not an ISO 8601 time") from None
    if kind is float and isinstance(stored, int) and not isinstance(stored, bool):
        return float(stored)
    if isinstance(stored, kind) and not (kind is int and isinstance(stored, bool)):
        return stored
    raise InvalidRecord(f"{path}: expected {kind.__name__}, got {type(stored).__name__}")


_HINTS: dict[Any, dict[str, Any]] = {}


def _hints(kind: Any) -> dict[str, Any]:
    """Resolve the annotations once per class: resolving is the slow part of parsing a record."""
    if kind not in _HINTS:
        _HINTS[kind] = typing.get_type_hints(kind)
    return _HINTS[kind]
