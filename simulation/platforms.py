"""The kinds of platform that the simulated world can be: what each sends with a post."""

from dataclasses import dataclass
from enum import StrEnum


class PlatformKind(StrEnum):
    """A kind of platform, by what it sends."""

    EVERYTHING = "everything"
    ACCOUNTS = "accounts"
    FORUM = "forum"
    MESSENGER = "messenger"
    TEXTS = "texts"


class Network(StrEnum):
    """What its accounts look like: photo networks count tens of posts each, microblogs thousands."""

    MICROBLOG = "microblog"
    PHOTO = "photo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The names of the fields that a platform of one kind can send, and what its posts hold."""

    account: frozenset[str]
    circumstances: frozenset[str]
    has_complaints: bool = True
    has_links: bool = True
    has_media: bool = True


_ACCOUNT = frozenset({"created_at", "email_domain", "friends", "followers", "is_verified", "posts"})
_REACTIONS = frozenset({"shares", "comments", "views"})
_CIRCUMSTANCES = (
    frozenset({"language", "user_agent", "ip", "ip_asn", "journey", "links", "parent"}) | _REACTIONS
)

SENT = {
    PlatformKind.EVERYTHING: Sent(account=_ACCOUNT, circumstances=_CIRCUMSTANCES),
    PlatformKind.ACCOUNTS: Sent(
        account=_ACCOUNT - {"email_domain"}, circumstances=frozenset({"language"}), has_media=False
    ),
    PlatformKind.FORUM: Sent(
        account=frozenset({"created_at", "email_domain", "posts"}),
        circumstances=_CIRCUMSTANCES - _REACTIONS - {"language"},
    ),
    PlatformKind.MESSENGER: Sent(
        account=frozenset({"created_at"}), circumstances=frozenset({"user_agent"}), has_links=False
    ),
    PlatformKind.TEXTS: Sent(
        account=frozenset(), circumstances=frozenset(), has_complaints=False, has_media=False
    ),
}
