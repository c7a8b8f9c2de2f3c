"""Sentences of the social features: author and near-duplicates."""

from datetime import timedelta

from django.utils.translation import gettext

from moderation.queries.cases.case_pages import PostRecord
from moderation.web.quantities import count, counted, duration
from moderation.web.sentences.sentence import (
    Decided,
    Leaning,
    Said,
    Sentence,
    author,
    days,
    days_known,
    flag,
    mail,
    many,
    of_complaints,
    of_last_day,
    resembling,
    similar,
    things,
    young,
)

_SPAM, _HONEST = Leaning.SPAM, Leaning.HONEST
_OF_AUTHOR = Decided("decided posts of this author", past=author)
_OF_SIMILAR = Decided("decided near-duplicates", past=similar)
_PUBLISHED = things("post", "posts", " by the author so far, according to the platform")
_OF_RESEMBLING = Decided("decided posts of similar accounts", past=resembling)


def _age(_: float, record: PostRecord) -> str | Said:
    """The age when the post was scored, whichever instant the feature counts to."""
    if record.author.created_at is None:
        return ""
    age = max(0.0, (record.at - record.author.created_at) / timedelta(days=1))
    return Said(gettext("The account is {} old").format(duration(age * 86_400)), young(30, old=365)(age))


def _posts(_: float, record: PostRecord) -> str:
    if not record.author.posts:
        return ""
    return str(_PUBLISHED(float(record.author.posts), record))


def _audience(_: float, record: PostRecord) -> str:
    followers, friends = record.author.followers, record.author.friends
    if followers is None or friends is None:
        return ""
    return gettext("The author follows {} and is followed by {}").format(count(friends), count(followers))


def _pace(_: float, record: PostRecord) -> str:
    posts, created_at = record.author.posts, record.author.created_at
    if not posts or created_at is None:
        return ""
    age = duration(max(0.0, (record.at - created_at).total_seconds()))
    return gettext("{} by an account {} old, according to the platform").format(
        counted(posts, "post", "posts"), age
    )


def _reported(_: float, record: PostRecord) -> str | Said:
    """Return the sentence of a feature with two causes: complaints about spam, otherwise decisions."""
    if record.author_history.spam_complaints:
        sentence = things("spam complaint", "spam complaints", " about the author's earlier posts")
        return sentence(record.author_history.spam_complaints, record)
    return _OF_AUTHOR.of(1.0, record) or ""


SENTENCES: dict[str, Sentence | Decided] = {
    "social.account_age_days": Sentence(_age),
    "social.friends": Sentence(
        things("account is", "accounts are", " followed by the author"), "The author follows nobody"
    ),
    "social.followers": Sentence(
        things("account follows", "accounts follow", " the author"),
        "Nobody follows the author",
        leans=many(1_000),
    ),
    "social.followers_per_friend": Sentence(_audience),
    "social.is_verified": Sentence(
        flag("The platform verified the author"),
        "The author is not verified",
        leans=_HONEST,
    ),
    "social.posts": Sentence(_posts),
    "social.posts_per_day": Sentence(_pace),
    "social.email_domain_is_disposable": Sentence(
        flag("The author's email domain offers disposable addresses"),
        "The author's email domain offers no disposable addresses",
        leans=_SPAM,
    ),
    "social.email_domain_spam_share": Decided("decided posts from the author's email domain", past=mail),
    "social.is_reported_spammer": Sentence(_reported, leans=_SPAM),
    "social.known_posts": Sentence(
        things("earlier post", "earlier posts", " by the author here, not confirmed as spam"),
        "All earlier posts by the author here were confirmed as spam",
        none="The author's first post here",
        leans=lambda value: Leaning.SPAM if value == 0 else Leaning.HONEST if value >= 10 else Leaning.EITHER,
        past=author,
        measure=lambda history, _: max(0, history.posts - history.confirmed_spam),
    ),
    "social.posts_24h": of_last_day(" by the author", past=author),
    "social.days_known": Sentence(
        days("The author has been known here for {}"),
        none="The author's first post here",
        leans=young(1, old=30),
        past=author,
        measure=days_known,
    ),
    "social.spam_share": _OF_AUTHOR,
    "social.confirmed_spam": _OF_AUTHOR,
    "social.confirmed_honest": _OF_AUTHOR,
    "social.complaints": of_complaints(" about the author's earlier posts", past=author),
    "social.same_text_posts": Sentence(
        things("earlier post by the author has", "earlier posts by the author have", " this exact text"),
        leans=_SPAM,
    ),
    "social.same_link_posts": Sentence(
        things("earlier post by the author has", "earlier posts by the author have", " this link"),
        leans=_SPAM,
    ),
    "social.similar_posts": Sentence(
        things("earlier post is", "earlier posts are", " nearly the same"), leans=_SPAM, past=similar
    ),
    "social.similar_posts_24h": Sentence(
        things("near-duplicate", "near-duplicates", " in the previous 24 hours"),
        "No near-duplicates in the previous 24 hours",
        leans=_SPAM,
        past=similar,
        measure=lambda history, _: history.posts_24h,
    ),
    "social.similar_authors": Sentence(
        things("author", "authors", " posted near-duplicates"),
        leans=_SPAM,
        past=similar,
        measure=lambda history, _: history.authors,
    ),
    "social.similar_spam_share": _OF_SIMILAR,
    "social.similar_confirmed_spam": _OF_SIMILAR,
    "social.similar_confirmed_honest": _OF_SIMILAR,
    "social.similar_complaints": of_complaints(" about near-duplicates", past=similar),
    "social.resembling_authors": Sentence(
        things("account is", "accounts are", " similar to the author's"),
        leans=_SPAM,
        past=resembling,
        measure=lambda history, _: history.authors,
    ),
    "social.resembling_spam_share": _OF_RESEMBLING,
    "social.resembling_spammers": Sentence(
        things("similar account has", "similar accounts have", " confirmed spam"),
        leans=_SPAM,
        past=resembling,
        measure=lambda history, _: history.spam_authors,
    ),
    "social.resembling_complaints": of_complaints(" about similar accounts", past=resembling),
}
