"""What a post's links look like: how many there are, and how their URLs are written.

Of several links the most suspicious one counts, measure by measure; without links all are 0, so that a link
never lowers a score. Trees read measures of links without a voucher, 0 for a plain one: a link to a small
site is not suspicious.
"""

from collections.abc import Callable
from functools import partial
from operator import attrgetter

from scoring.features.feature import Evidence, Feature, unvouched
from scoring.records import Link, PostRecord
from scoring.url_shape import UrlShape, shape_of

SUB_MODEL = "ip_url"


def _worst_shape(
    record: PostRecord,
    *,
    measure: Callable[[UrlShape], float],
    among: Callable[[PostRecord], tuple[Link, ...]],
) -> float:
    return max((measure(shape_of(link.url, link.host, link.domain)) for link in among(record)), default=0.0)


def _shape_feature(
    name: str,
    *,
    unit: str = "flag",
    meaning: str,
    why: str,
    evidence: Evidence = Evidence.PROOF,
    mission_name: str = "",
) -> Feature:
    """Build the feature `context.url_<name>` from the measure of UrlShape with the same name."""

    def measure(shape: UrlShape) -> float:
        return float(getattr(shape, name))

    is_shown = evidence is Evidence.SHOWN
    return Feature(
        name=f"context.url_{name}",
        unit=unit,
        meaning=meaning if is_shown else f"{meaning}; known sites left out",
        why=why,
        evidence=evidence,
        mission_name=mission_name,
        compute=partial(_worst_shape, measure=measure, among=attrgetter("links") if is_shown else unvouched),
        version=2 if is_shown else 3,
    )


FEATURES: tuple[Feature, ...] = (
    Feature(
        name="context.link_count",
        unit="links",
        meaning="Distinct links of the post",
        why="Spam exists to lead somewhere else",
        evidence=Evidence.SHOWN,
        compute=lambda record: float(len(record.links)),
    ),
    Feature(
        name="context.distinct_domains",
        unit="domains",
        meaning="Distinct hosts or domains that the post links to",
        why="Search-engine spam links to many shops at once",
        evidence=Evidence.SHOWN,
        compute=lambda record: float(len({link.domain or link.host for link in record.links})),
    ),
    _shape_feature(
        "length",
        unit="characters",
        meaning="Length of the longest URL",
        why="Tracking and redirect parameters make URLs long",
        evidence=Evidence.SHOWN,
    ),
    _shape_feature(
        "subdomains",
        unit="labels",
        meaning="Labels before the registrable domain",
        why="A familiar name is put in front: paypal.com.login.example",
        evidence=Evidence.SHOWN,
        mission_name="url_subdomain_count",
    ),
    _shape_feature(
        "digit_share",
        unit="share",
        meaning="Share of digits in host and path",
        why="Generated hosts and paths carry counters and random digits",
        evidence=Evidence.SHOWN,
    ),
    _shape_feature(
        "path_tokens",
        unit="tokens",
        meaning="Words in path and query",
        why="Deep paths hide pages on hacked sites",
        evidence=Evidence.SHOWN,
        mission_name="url_token",
    ),
    _shape_feature(
        "bait_tokens",
        unit="tokens",
        meaning="Words of host and path such as login, verify, prize, bonus",
        why="The URL itself promises or threatens",
        mission_name="url_token",
    ),
    _shape_feature(
        "is_punycode",
        meaning="1 if the host has an internationalised label (xn--)",
        why="Look-alike letters of other scripts imitate known hosts",
        evidence=Evidence.IN_TEXT,
    ),
    _shape_feature(
        "is_mixed_script",
        meaning="1 if a label of the host mixes alphabets in a way that can deceive (Unicode TR39)",
        why="A Cyrillic a in a Latin name reads like the real one",
    ),
    _shape_feature(
        "is_lookalike",
        meaning="1 if the host spells a known brand that does not own it",
        why="Phishing borrows trust: paypa1.com, apple.login-id.top",
    ),
    _shape_feature(
        "is_ip_host",
        meaning="1 if the host is an IP address",
        why="Hacked machines have no domain; bans by domain do not catch them",
    ),
    _shape_feature(
        "is_shortener",
        meaning="1 if the domain belongs to a URL shortener",
        why="A shortener hides the target from readers and filters",
        evidence=Evidence.IN_TEXT,
    ),
    _shape_feature(
        "has_cheap_suffix",
        meaning="1 if the top-level domain is one of those sold or given away in bulk",
        why="Domains are bought by the hundred where they are cheapest",
        evidence=Evidence.IN_TEXT,
        mission_name="url_tld",
    ),
    _shape_feature(
        "has_userinfo",
        meaning="1 if the URL has a user part before the host",
        why="https://bank.com@evil.example opens evil.example",
    ),
)
