"""The author's account and history."""

import disposable_email_domains

from scoring.features.feature import (
    UNKNOWN,
    Evidence,
    Feature,
    ProofFeature,
    days_between,
    days_known,
    number_or_unknown,
    shrunk_spam_share,
    suspected_share,
    unblamed_posts,
)
from scoring.links import registrable_domain
from scoring.records import PostRecord

SUB_MODEL = "behaviour"


def _followers_per_friend(record: PostRecord) -> float:
    author = record.author
    if author.friends is None or author.followers is None:
        return UNKNOWN
    return (author.followers + 1.0) / (author.friends + 1.0)


def _account_age_days(record: PostRecord) -> float:
    """Account age at the first post here: a growing age would make later copies look more honest."""
    return days_between(record.author.created_at, record.author_history.first_seen_at or record.at)


def _posts_elsewhere(record: PostRecord) -> float:
    """Posts that the platform counts beyond those sent here; repeating a post does not raise it."""
    if record.author.posts is None:
        return UNKNOWN
    return float(max(0, record.author.posts - record.author_history.posts))


def _posts_per_day(record: PostRecord) -> float:
    # At least one day, since an account of minutes would get an absurd rate.
    return _posts_elsewhere(record) / max(1.0, _account_age_days(record))


def _days_known(record: PostRecord) -> float:
    return days_known(record.author_history, before=record.posted_at)


def _link_repeats(record: PostRecord) -> float:
    return float(max((link.author_posts for link in record.links), default=0))


def _is_disposable(record: PostRecord) -> float:
    """Return whether the mail domain or a parent of it is in the public list of disposable mail domains."""
    domain = (record.author.email_domain or "").rstrip(".").lower()
    return float(bool({domain, registrable_domain(domain)} & disposable_email_domains.blocklist))


def _is_reported_spammer(record: PostRecord) -> float:
    history = record.author_history
    return float(history.spam_complaints > 0 or history.confirmed_spam > 0)


FEATURES: tuple[Feature, ...] = (
    Feature(
        name="social.account_age_days",
        unit="days",
        meaning="Age of the author's account when its first post came in here",
        why="Banned spammers come back with new accounts",
        direction=-1,
        mission_name="user_age",
        compute=_account_age_days,
        version=2,
    ),
    Feature(
        name="social.friends",
        unit="accounts",
        meaning="Accounts that the author follows or befriended",
        why="Bots befriend in bulk, or not at all",
        evidence=Evidence.SHOWN,
        mission_name="user_friends",
        compute=lambda record: number_or_unknown(record.author.friends),
    ),
    Feature(
        name="social.followers",
        unit="accounts",
        meaning="Accounts that follow the author",
        why="People who follow are hard to fake in numbers",
        direction=-1,
        mission_name="user_followers",
        compute=lambda record: number_or_unknown(record.author.followers),
    ),
    Feature(
        name="social.followers_per_friend",
        unit="ratio",
        meaning="(followers + 1) / (friends + 1)",
        why="Spam accounts follow many and are followed by few",
        direction=-1,
        compute=_followers_per_friend,
    ),
    Feature(
        name="social.is_verified",
        unit="flag",
        meaning="1 if the platform verified the author",
        why="Verification costs time or money; a bought account may still have it",
        direction=-1,
        mission_name="user_verified",
        compute=lambda record: number_or_unknown(record.author.is_verified),
    ),
    Feature(
        name="social.posts",
        unit="posts",
        meaning="Posts that the author published, as the platform counts, beyond those that were sent here",
        why="Throw-away accounts have posted little",
        direction=-1,
        mission_name="user_posts",
        compute=_posts_elsewhere,
        version=2,
    ),
    Feature(
        name="social.posts_per_day",
        unit="posts/day",
        meaning="Those posts per day of the account's life until its first post came in, the first day "
        "counted whole",
        why="Programs post more than people can",
        compute=_posts_per_day,
        version=2,
    ),
    ProofFeature(
        name="social.email_domain_is_disposable",
        unit="flag",
        meaning="1 if the author's mail domain is on the public list of throw-away mail providers",
        why="Nobody who means to stay registers with an address that is gone in ten minutes",
        mission_name="user_email_domain",
        compute=_is_disposable,
        version=2,
    ),
    ProofFeature(
        name="social.email_domain_spam_share",
        unit="share",
        meaning="Share of confirmed spam among decided posts under this mail domain, shrunk likewise, 0.1 at "
        "least",
        why="Accounts are registered in bulk under one mail domain",
        mission_name="user_email_domain",
        compute=lambda record: suspected_share(record.email_domain_history),
        version=2,
    ),
    ProofFeature(
        name="social.is_reported_spammer",
        unit="flag",
        meaning="1 if an earlier post of the author was confirmed as spam, or reported as spam or scam",
        why="Whoever was caught once had a reason to spam, and still has it",
        mission_name="user_spam_report",
        compute=_is_reported_spammer,
    ),
    Feature(
        name="social.known_posts",
        unit="posts",
        meaning="Earlier posts of the author that were sent here, those confirmed as spam left out",
        why="A long record without trouble is the best sign of an honest author",
        evidence=Evidence.SHOWN,
        compute=lambda record: float(unblamed_posts(record.author_history)),
    ),
    Feature(
        name="social.posts_24h",
        unit="posts",
        meaning="Posts of the author in the 24 hours before",
        why="Spam is posted in bursts",
        compute=lambda record: float(record.author_history.posts_24h),
    ),
    Feature(
        name="social.days_known",
        unit="days",
        meaning="Days from the author's first post sent here to this one, 0 for a new author",
        why="Sleeping accounts are bought old and start posting at once",
        evidence=Evidence.SHOWN,
        compute=_days_known,
        version=2,
    ),
    ProofFeature(
        name="social.spam_share",
        unit="share",
        meaning="Share of confirmed spam among the author's decided posts, shrunk to 0.1 while few are",
        why="Who spammed before will spam again",
        compute=lambda record: shrunk_spam_share(record.author_history),
    ),
    ProofFeature(
        name="social.confirmed_spam",
        unit="posts",
        meaning="Earlier posts of the author that moderators confirmed as spam",
        why="Repeat offenders",
        mission_name="user_spam_posts",
        compute=lambda record: float(record.author_history.confirmed_spam),
    ),
    ProofFeature(
        name="social.confirmed_honest",
        unit="posts",
        meaning="Earlier posts of the author that moderators confirmed as honest",
        why="A record that others have judged is the one that a spammer cannot write himself",
        direction=-1,
        compute=lambda record: float(record.author_history.confirmed_not_spam),
    ),
    ProofFeature(
        name="social.complaints",
        unit="complaints",
        meaning="Complaints about the author's earlier posts",
        why="Users notice a spammer before moderators decide",
        mission_name="user_spam_posts",
        compute=lambda record: float(record.author_history.complaints),
    ),
    Feature(
        name="social.same_text_posts",
        unit="posts",
        meaning="Earlier posts of the author with the same text",
        why="Copy and paste is the cheapest reach",
        mission_name="user_post_count",
        compute=lambda record: float(record.same_text_by_author),
    ),
    Feature(
        name="social.same_link_posts",
        unit="posts",
        meaning="Earlier posts of the author with the link they posted most",
        why="One shop, many posts",
        mission_name="user_link_count",
        compute=_link_repeats,
        version=2,
    ),
)
