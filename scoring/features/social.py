"""Who posted, how established they are, and whether the post is one of many copies. Read by the sub-model
behaviour.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from scoring.features.feature import UNKNOWN, Feature, days_between, number_or_unknown, shrunk_spam_share
from scoring.records import History, PostRecord


def _followers_per_friend(record: PostRecord) -> float:
    author = record.author
    if author.friends is None or author.followers is None:
        return UNKNOWN
    return (author.followers + 1.0) / (author.friends + 1.0)


def _posts_per_day(record: PostRecord) -> float:
    if record.author.posts is None or record.author.created_at is None:
        return UNKNOWN
    # An account of minutes would get an absurd rate; its first day counts as a whole one.
    return record.author.posts / max(1.0, days_between(record.author.created_at, record.at))


def _days_known(record: PostRecord) -> float:
    first_seen_at = record.author_history.first_seen_at
    return 0.0 if first_seen_at is None else days_between(first_seen_at, record.at)


def _link_repeats(record: PostRecord) -> float:
    return float(max(link.author_posts for link in record.links)) if record.links else UNKNOWN


def _of_similar(record: PostRecord, *, measure: Callable[[History], float]) -> float:
    return measure(record.similar) if record.similar.posts else UNKNOWN


_ACCOUNT = (
    Feature(
        name="social.account_age_days",
        unit="days",
        meaning="Age of the author's account",
        why="Banned spammers come back with new accounts",
        compute=lambda record: days_between(record.author.created_at, record.at),
    ),
    Feature(
        name="social.friends",
        unit="accounts",
        meaning="Accounts that the author follows or befriended",
        why="Bots befriend in bulk, or not at all",
        compute=lambda record: number_or_unknown(record.author.friends),
    ),
    Feature(
        name="social.followers",
        unit="accounts",
        meaning="Accounts that follow the author",
        why="People who follow are hard to fake in numbers",
        compute=lambda record: number_or_unknown(record.author.followers),
    ),
    Feature(
        name="social.followers_per_friend",
        unit="ratio",
        meaning="(followers + 1) / (friends + 1)",
        why="Spam accounts follow many and are followed by few",
        compute=_followers_per_friend,
    ),
    Feature(
        name="social.is_verified",
        unit="flag",
        maximum=1.0,
        meaning="1 if the platform verified the author",
        why="Verification costs time or money; a bought account may still have it",
        compute=lambda record: number_or_unknown(record.author.is_verified),
    ),
    Feature(
        name="social.posts",
        unit="posts",
        meaning="Posts that the author published, as the platform counts",
        why="Throw-away accounts have posted little",
        compute=lambda record: number_or_unknown(record.author.posts),
    ),
    Feature(
        name="social.posts_per_day",
        unit="posts/day",
        meaning="Posts per day of the account's life, the first day counted whole",
        why="Programs post more than people can",
        compute=_posts_per_day,
    ),
)

_PAST = (
    Feature(
        name="social.known_posts",
        unit="posts",
        meaning="Earlier posts of the author that were sent here",
        why="A long record without trouble is the best sign of an honest author",
        compute=lambda record: float(record.author_history.posts),
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
        meaning="Days since the author's first post sent here, 0 for a new author",
        why="Sleeping accounts are bought old and start posting at once",
        compute=_days_known,
    ),
    Feature(
        name="social.spam_share",
        unit="share",
        maximum=1.0,
        meaning="Share of confirmed spam among the author's decided posts, shrunk to 0.1 while few are",
        why="Who spammed before will spam again",
        compute=lambda record: shrunk_spam_share(record.author_history),
    ),
    Feature(
        name="social.confirmed_spam",
        unit="posts",
        meaning="Earlier posts of the author that moderators confirmed as spam",
        why="Repeat offenders",
        compute=lambda record: float(record.author_history.confirmed_spam),
    ),
    Feature(
        name="social.complaints",
        unit="complaints",
        meaning="Complaints about the author's earlier posts",
        why="Users notice a spammer before moderators decide",
        compute=lambda record: float(record.author_history.complaints),
    ),
    Feature(
        name="social.same_text_posts",
        unit="posts",
        meaning="Earlier posts of the author with the same text",
        why="Copy and paste is the cheapest reach",
        compute=lambda record: float(record.same_text_by_author),
    ),
    Feature(
        name="social.same_link_posts",
        unit="posts",
        meaning="Earlier posts of the author with the link they posted most, unknown without links",
        why="One shop, many posts",
        compute=_link_repeats,
    ),
)

_COPIES = (
    Feature(
        name="social.similar_posts",
        unit="posts",
        meaning="Earlier near-duplicates of the text, whoever posted them",
        why="Campaigns vary one template",
        compute=lambda record: float(record.similar.posts),
    ),
    Feature(
        name="social.similar_posts_24h",
        unit="posts",
        meaning="Near-duplicates in the 24 hours before",
        why="A campaign runs in hours, a proverb over years",
        compute=lambda record: float(record.similar.posts_24h),
    ),
    Feature(
        name="social.similar_authors",
        unit="authors",
        meaning="Authors of the near-duplicates",
        why="Many accounts saying the same thing are one sender",
        compute=lambda record: float(record.similar.authors),
    ),
    Feature(
        name="social.similar_spam_share",
        unit="share",
        maximum=1.0,
        meaning="Share of confirmed spam among decided near-duplicates, shrunk to 0.1; unknown without any",
        why="What was spam this morning is spam at noon",
        compute=partial(_of_similar, measure=shrunk_spam_share),
    ),
    Feature(
        name="social.similar_complaints",
        unit="complaints",
        meaning="Complaints about the near-duplicates; unknown if there are none",
        why="Users report the copies one by one",
        compute=partial(_of_similar, measure=lambda history: float(history.complaints)),
    ),
)

FEATURES: tuple[Feature, ...] = (*_ACCOUNT, *_PAST, *_COPIES)
