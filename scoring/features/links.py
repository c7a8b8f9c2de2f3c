"""Where a post's links lead: what is known of domain and URL. `link_looks` measures how they are written.

Of several links the most suspicious one counts, measure by measure. A post without links has counts of 0 and
the prior's share, so that a link never lowers a score; only values not looked up are unknown. Links to known
sites, or sites open to anyone, are not counted: their number says nothing.
"""

from collections.abc import Callable, Iterable
from functools import partial

from scoring.features.feature import (
    UNKNOWN,
    Evidence,
    Feature,
    Models,
    ProofFeature,
    days_between,
    days_known,
    highest,
    lowest,
    number_or_unknown,
    suspected_share,
    unvouched,
)
from scoring.known_domains import is_open
from scoring.records import History, PostRecord

SUB_MODEL = "ip_url"


def _over_sites(
    record: PostRecord, *, measure: Callable[[History], int], worst: Callable[[Iterable[int]], int]
) -> float:
    """Return a count over the linked domains that have one author and no voucher."""
    sites = [link.domain_history for link in unvouched(record) if not is_open(link.host)]
    return float(worst(map(measure, sites))) if sites else 0.0


def _pasts(record: PostRecord) -> Iterable[History]:
    return (link.domain_history for link in record.links)


def _domain_days_known(record: PostRecord) -> float:
    """A domain new to this platform is known for 0 days: that is a value, not unknown."""
    days = (days_known(link.domain_history, before=record.posted_at) for link in record.links)
    return min(days, default=0.0)


def _pattern_suspicion(record: PostRecord, models: Models) -> float:
    if models.urls is None:
        return UNKNOWN
    return highest(models.urls.suspicion(link.url) for link in record.links) if record.links else 0.0


def _url_age_days(record: PostRecord) -> float:
    """Age at the domain's first post here: a pause between copies must not make a link look older."""
    return lowest(
        days_between(link.reputation.live_since_at, link.domain_history.first_seen_at or record.at)
        for link in record.links
    )


FEATURES: tuple[Feature, ...] = (
    Feature(
        name="context.domain_days_known",
        unit="days",
        meaning="Days from the first sight of the newest linked domain to this post, 0 for a new one",
        why="Banned domains are replaced by fresh ones",
        evidence=Evidence.SHOWN,
        compute=_domain_days_known,
        version=3,
    ),
    Feature(
        name="context.domain_posts",
        unit="posts",
        meaning="Earlier posts that link to the least linked domain; known sites and open hosts left out",
        why="A domain is posted for as long as it pays; that many posted it excuses nobody",
        mission_name="url_domain",
        compute=partial(_over_sites, measure=lambda history: history.posts, worst=min),
        version=3,
    ),
    Feature(
        name="context.domain_posts_24h",
        unit="posts",
        meaning="Posts in the 24 hours before that link to the most posted domain, the same left out",
        why="A campaign pushes one domain in a burst",
        compute=partial(_over_sites, measure=lambda history: history.posts_24h, worst=max),
        version=3,
    ),
    Feature(
        name="context.domain_authors",
        unit="authors",
        meaning="Authors who linked to the least linked domain before, the same left out",
        why="What honest people like is linked by many of them",
        compute=partial(_over_sites, measure=lambda history: history.authors, worst=min),
        version=3,
    ),
    ProofFeature(
        name="context.domain_spam_share",
        unit="share",
        meaning="Share of confirmed spam among decided posts with the worst domain, shrunk likewise, 0.1 at "
        "least",
        why="A domain costs money, so it is used until it is burnt",
        mission_name="url_domain",
        compute=lambda record: max(suspected_share(history) for history in (History(), *_pasts(record))),
        version=3,
    ),
    ProofFeature(
        name="context.domain_complaints",
        unit="complaints",
        meaning="Complaints about earlier posts with the most reported domain",
        why="Users report the same shop again and again",
        mission_name="domain_report_count",
        compute=lambda record: float(max((history.complaints for history in _pasts(record)), default=0)),
        version=2,
    ),
    Feature(
        name="context.url_posts",
        unit="posts",
        meaning="Earlier posts with exactly the most posted URL; known sites left out",
        why="Campaigns repeat one landing page",
        mission_name="url_post_count",
        compute=lambda record: float(max((link.url_posts for link in unvouched(record)), default=0)),
        version=3,
    ),
    Feature(
        name="context.url_age_days",
        unit="days",
        meaning="Days that the newest link, or its domain, had been live on the web when the domain was "
        "first posted here; unknown if nobody knows",
        why="A domain registered this week has no readers of its own yet",
        direction=-1,
        mission_name="url_age",
        compute=_url_age_days,
        version=2,
    ),
    ProofFeature(
        name="context.url_wot_score",
        unit="points",
        meaning="Lowest trust score of a linked site by a Web-of-Trust style provider; unknown without one",
        why="Other people met the site before this platform did",
        direction=-1,
        mission_name="url_wot_score",
        compute=lambda record: lowest(
            number_or_unknown(link.reputation.trust_score) for link in record.links
        ),
    ),
    ProofFeature(
        name="context.url_google_score",
        unit="score",
        meaning="Google Web Risk on the worst link: 1 listed as a threat, 0.5 suspected, 0 not listed",
        why="Phishing and malware pages are listed within hours",
        mission_name="url_google_score",
        compute=lambda record: highest(
            number_or_unknown(link.reputation.threat_score) for link in record.links
        ),
    ),
    ProofFeature(
        name="context.url_pattern_suspicion",
        unit="share",
        meaning="How far the worst URL is written like phishing and malware (character n-grams); 0 under the "
        "model's threshold",
        why="Hacked sites, kits and generated names write URLs in patterns",
        mission_name="url_token, url_tld, URL pattern",
        judge=_pattern_suspicion,
        version=2,
    ),
)
