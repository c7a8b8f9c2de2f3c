"""The address that a post came from, its network and its provider. The sub-model ip_url reads these first.

An address's history counts recent decisions only: addresses change hands, and a clean period should reset it.
A missing address counts like an unknown one, so that sending one says nothing.
"""

from scoring.features.feature import UNKNOWN, Evidence, Feature, ProofFeature, days_known, recent_spam_share
from scoring.records import History, PostRecord

SUB_MODEL = "ip_url"

# Thresholds of a persistent spammer: spam on several days, and hardly any honest posts.
PERSISTENT_SPAM_POSTS = 5
PERSISTENT_SPAM_DAYS = 2
PERSISTENT_SHARE = 0.8
_STILL_RECENT = 1.0


def is_persistent_spammer(history: History) -> bool:
    """Return whether an address recently posted confirmed spam on several days, and little else."""
    recent = history.recent_spam + history.recent_not_spam
    return (
        history.confirmed_spam >= PERSISTENT_SPAM_POSTS
        and history.spam_days >= PERSISTENT_SPAM_DAYS
        and history.recent_spam >= max(_STILL_RECENT, PERSISTENT_SHARE * recent)
    )


def _days_known(record: PostRecord) -> float:
    return UNKNOWN if record.ip is None else days_known(record.ip_history, before=record.posted_at)


FEATURES: tuple[Feature, ...] = (
    ProofFeature(
        name="context.ip_spam_share",
        unit="share",
        meaning="Share of confirmed spam among decided posts from the address, older ones counting less "
        "(half-life 30 days), shrunk to 0.1 while few are",
        why="Spammers post from few machines and proxies until these are blocked",
        mission_name="ip reputation",
        compute=lambda record: recent_spam_share(record.ip_history),
        version=2,
    ),
    ProofFeature(
        name="context.ip_network_spam_share",
        unit="share",
        meaning="The same share for the address's network (/24, or /48 for IPv6)",
        why="Changing the address within one rented network is cheap",
        mission_name="ip reputation",
        compute=lambda record: recent_spam_share(record.ip_network_history),
        version=2,
    ),
    ProofFeature(
        name="context.ip_as_spam_share",
        unit="share",
        meaning="The same share for the address's autonomous system",
        why="Some hosting companies rent to anybody, and few people read from a data centre",
        mission_name="ip reputation",
        compute=lambda record: recent_spam_share(record.ip_asn_history),
        version=2,
    ),
    ProofFeature(
        name="context.ip_is_persistent_spammer",
        unit="flag",
        meaning=f"1 if the address has {PERSISTENT_SPAM_POSTS} or more confirmed spam posts on at least "
        f"{PERSISTENT_SPAM_DAYS} days, recent ones among them, and hardly an honest one",
        why="Some machines do nothing else",
        mission_name="ip reputation",
        compute=lambda record: float(is_persistent_spammer(record.ip_history)),
        version=2,
    ),
    ProofFeature(
        name="context.ip_spam_days",
        unit="days",
        meaning="Distinct days with confirmed spam from the address",
        why="One bad evening is an accident, spam day after day is a trade",
        mission_name="ip reputation",
        compute=lambda record: float(record.ip_history.spam_days),
        version=2,
    ),
    Feature(
        name="context.ip_authors",
        unit="authors",
        meaning="Authors who posted from the address before",
        why="Account farms run many accounts on one machine",
        compute=lambda record: float(record.ip_history.authors),
        version=2,
    ),
    Feature(
        name="context.ip_posts_24h",
        unit="posts",
        meaning="Posts from the address in the 24 hours before",
        why="A bot's machine posts far more than a household",
        compute=lambda record: float(record.ip_history.posts_24h),
        version=2,
    ),
    ProofFeature(
        name="context.ip_complaints",
        unit="complaints",
        meaning="Complaints about earlier posts from the address",
        why="Complaints arrive before moderators decide",
        compute=lambda record: float(record.ip_history.complaints),
        version=2,
    ),
    Feature(
        name="context.ip_days_known",
        unit="days",
        meaning="Days from the first post from the address to this one, 0 for a new address",
        why="Proxies are rented by the day",
        evidence=Evidence.SHOWN,
        compute=_days_known,
        version=2,
    ),
)
