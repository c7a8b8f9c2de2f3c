"""Where a post came from and where its links lead: address, domain and URL. The sub-model ip_url reads these.

Of several links the most suspicious one counts, measure by measure; a post without links has unknown URL
measures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from scoring.features.feature import UNKNOWN, Feature, days_between, number_or_unknown, shrunk_spam_share
from scoring.features.url_shape import UrlShape, shape_of
from scoring.records import History, Link, PostRecord


def _of_address(record: PostRecord, *, measure: Callable[[History], float]) -> float:
    return UNKNOWN if record.ip is None else measure(record.ip_history)


def _of_network(record: PostRecord, *, measure: Callable[[History], float]) -> float:
    return UNKNOWN if record.ip is None else measure(record.ip_network_history)


def _over_links(
    record: PostRecord, *, measure: Callable[[Link], float], worst: Callable[[Iterable[float]], float]
) -> float:
    return worst(measure(link) for link in record.links) if record.links else UNKNOWN


def _worst_shape(record: PostRecord, *, measure: Callable[[UrlShape], float]) -> float:
    if not record.links:
        return UNKNOWN
    return max(measure(shape_of(link.url, link.host, link.domain)) for link in record.links)


def _domain_days_known(record: PostRecord) -> float:
    """A domain that this platform never saw is known for 0 days: that is knowledge, not a gap."""
    if not record.links:
        return UNKNOWN
    first_seen = (link.domain_history.first_seen_at for link in record.links)
    return min(0.0 if seen is None else days_between(seen, record.at) for seen in first_seen)


def _ip_days_known(history: History, record: PostRecord) -> float:
    return 0.0 if history.first_seen_at is None else days_between(history.first_seen_at, record.at)


def _shape_feature(name: str, *, unit: str, maximum: float = float("inf"), meaning: str, why: str) -> Feature:
    """Build the feature `context.url_<name>` from the measure of UrlShape with the same name."""

    def measure(shape: UrlShape) -> float:
        return float(getattr(shape, name))

    return Feature(
        name=f"context.url_{name}",
        unit=unit,
        maximum=maximum,
        meaning=meaning,
        why=why,
        compute=partial(_worst_shape, measure=measure),
    )


_IP = (
    Feature(
        name="context.ip_spam_share",
        unit="share",
        maximum=1.0,
        meaning="Share of confirmed spam among decided posts from the address, shrunk to 0.1 while few are",
        why="Spammers post from few machines and proxies until these are blocked",
        compute=partial(_of_address, measure=shrunk_spam_share),
    ),
    Feature(
        name="context.ip_network_spam_share",
        unit="share",
        maximum=1.0,
        meaning="The same share for the address's network (/24, or /48 for IPv6)",
        why="Changing the address within one rented network is cheap",
        compute=partial(_of_network, measure=shrunk_spam_share),
    ),
    Feature(
        name="context.ip_authors",
        unit="authors",
        meaning="Authors who posted from the address before",
        why="Account farms run many accounts on one machine",
        compute=partial(_of_address, measure=lambda history: float(history.authors)),
    ),
    Feature(
        name="context.ip_posts_24h",
        unit="posts",
        meaning="Posts from the address in the 24 hours before",
        why="A bot's machine posts far more than a household",
        compute=partial(_of_address, measure=lambda history: float(history.posts_24h)),
    ),
    Feature(
        name="context.ip_complaints",
        unit="complaints",
        meaning="Complaints about earlier posts from the address",
        why="Complaints arrive before moderators decide",
        compute=partial(_of_address, measure=lambda history: float(history.complaints)),
    ),
    Feature(
        name="context.ip_days_known",
        unit="days",
        meaning="Days since the first post from the address, 0 for a new one",
        why="Proxies are rented by the day",
        compute=lambda record: UNKNOWN if record.ip is None else _ip_days_known(record.ip_history, record),
    ),
)

_DOMAIN = (
    Feature(
        name="context.domain_days_known",
        unit="days",
        meaning="Days since the newest linked domain was first seen on the platform, 0 for a new one",
        why="Banned domains are replaced by fresh ones",
        compute=_domain_days_known,
    ),
    Feature(
        name="context.domain_posts",
        unit="posts",
        meaning="Earlier posts that link to the least linked domain",
        why="Throw-away domains have hardly been posted before",
        compute=partial(_over_links, measure=lambda link: float(link.domain_history.posts), worst=min),
    ),
    Feature(
        name="context.domain_posts_24h",
        unit="posts",
        meaning="Posts in the 24 hours before that link to the most posted domain",
        why="A campaign pushes one domain in a burst",
        compute=partial(_over_links, measure=lambda link: float(link.domain_history.posts_24h), worst=max),
    ),
    Feature(
        name="context.domain_authors",
        unit="authors",
        meaning="Authors who linked to the least linked domain before",
        why="What honest people like is linked by many of them",
        compute=partial(_over_links, measure=lambda link: float(link.domain_history.authors), worst=min),
    ),
    Feature(
        name="context.domain_spam_share",
        unit="share",
        maximum=1.0,
        meaning="Share of confirmed spam among decided posts with the worst domain, shrunk likewise",
        why="A domain costs money, so it is used until it is burnt",
        compute=partial(_over_links, measure=lambda link: shrunk_spam_share(link.domain_history), worst=max),
    ),
    Feature(
        name="context.domain_complaints",
        unit="complaints",
        meaning="Complaints about earlier posts with the most reported domain",
        why="Users report the same shop again and again",
        compute=partial(_over_links, measure=lambda link: float(link.domain_history.complaints), worst=max),
    ),
    Feature(
        name="context.url_posts",
        unit="posts",
        meaning="Earlier posts with exactly the most posted URL",
        why="Campaigns repeat one landing page",
        compute=partial(_over_links, measure=lambda link: number_or_unknown(link.url_posts), worst=max),
    ),
)

_URL = (
    Feature(
        name="context.link_count",
        unit="links",
        maximum=100.0,
        meaning="Distinct links of the post",
        why="Spam exists to lead somewhere else",
        compute=lambda record: float(len(record.links)),
    ),
    Feature(
        name="context.distinct_domains",
        unit="domains",
        maximum=100.0,
        meaning="Distinct hosts or domains that the post links to",
        why="Search-engine spam links to many shops at once",
        compute=lambda record: float(len({link.domain or link.host for link in record.links})),
    ),
    _shape_feature(
        "length",
        unit="characters",
        meaning="Length of the longest URL",
        why="Tracking and redirect parameters make URLs long",
    ),
    _shape_feature(
        "subdomains",
        unit="labels",
        meaning="Labels before the registrable domain",
        why="A familiar name is put in front: paypal.com.login.example",
    ),
    _shape_feature(
        "digit_share",
        unit="share",
        maximum=1.0,
        meaning="Share of digits in host and path",
        why="Generated hosts and paths carry counters and random digits",
    ),
    _shape_feature(
        "path_tokens",
        unit="tokens",
        meaning="Words in path and query",
        why="Deep paths hide pages on hacked sites",
    ),
    _shape_feature(
        "bait_tokens",
        unit="tokens",
        meaning="Words of host and path such as login, verify, prize, bonus",
        why="The URL itself promises or threatens",
    ),
    _shape_feature(
        "is_punycode",
        unit="flag",
        maximum=1.0,
        meaning="1 if the host has an internationalised label (xn--)",
        why="Look-alike letters of other scripts imitate known hosts",
    ),
    _shape_feature(
        "is_lookalike",
        unit="flag",
        maximum=1.0,
        meaning="1 if the host spells a known brand that does not own it",
        why="Phishing borrows trust: paypa1.com, apple.login-id.top",
    ),
    _shape_feature(
        "is_ip_host",
        unit="flag",
        maximum=1.0,
        meaning="1 if the host is an IP address",
        why="Hacked machines have no domain; bans by domain do not catch them",
    ),
    _shape_feature(
        "is_shortener",
        unit="flag",
        maximum=1.0,
        meaning="1 if the domain belongs to a URL shortener",
        why="A shortener hides the target from readers and filters",
    ),
    _shape_feature(
        "has_cheap_suffix",
        unit="flag",
        maximum=1.0,
        meaning="1 if the top-level domain is one of those sold or given away in bulk",
        why="Domains are bought by the hundred where they are cheapest",
    ),
    _shape_feature(
        "has_userinfo",
        unit="flag",
        maximum=1.0,
        meaning="1 if the URL has a user part before the host",
        why="https://bank.com@evil.example opens evil.example",
    ),
)

FEATURES: tuple[Feature, ...] = (*_IP, *_DOMAIN, *_URL)
