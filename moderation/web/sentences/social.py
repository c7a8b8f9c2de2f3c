"""Sentences of the social features: author and near-duplicates."""

from __future__ import annotations

from moderation.web.sentences.sentence import Sentence, days, flag, number, share, things

_NO_LINK = "The post has no links"
_NO_TWINS = "No similar posts are known"
_NO_MAIL = "The author's mail domain is unknown"
_NO_LIKENESS = "No account resembles the author's"

SENTENCES: dict[str, Sentence] = {
    "social.account_age_days": Sentence(
        days("The account is {} old"), "The account was made today", "The account's age is unknown"
    ),
    "social.friends": Sentence(
        number("The author follows {} accounts"), "The author follows nobody", "Friends are unknown"
    ),
    "social.followers": Sentence(
        things("account follows", "accounts follow", " the author"),
        "Nobody follows the author",
        "Followers are unknown",
    ),
    "social.followers_per_friend": Sentence(
        number("{} followers for each account followed"), unknown="Followers per friend are unknown"
    ),
    "social.is_verified": Sentence(
        flag("The platform verified the author"),
        "The author is not verified",
        "Nobody said whether the author is verified",
    ),
    "social.posts": Sentence(
        things("post", "posts", " published by the author so far"),
        "The author's first post",
        "The author's posts were not counted",
    ),
    "social.posts_per_day": Sentence(
        number("The author posts {} times a day"),
        "The author has not posted before",
        "The author's pace is unknown",
    ),
    "social.email_domain_is_disposable": Sentence(
        flag("The author's mail domain gives out throw-away addresses"),
        "The author's mail domain is no throw-away one",
        _NO_MAIL,
    ),
    "social.email_domain_spam_share": Sentence(
        share("{} of decided posts under the author's mail domain were spam"), unknown=_NO_MAIL
    ),
    "social.is_reported_spammer": Sentence(
        flag("The author was reported as a spammer before"), "The author was never reported as a spammer"
    ),
    "social.known_posts": Sentence(
        things("earlier post", "earlier posts", " of the author here, spam not counted"),
        "No earlier post of the author here but spam",
    ),
    "social.posts_24h": Sentence(
        things("post", "posts", " by the author in the last 24 hours"),
        "No other post by the author in 24 hours",
    ),
    "social.days_known": Sentence(days("The author has been known here for {}"), "The author is new here"),
    "social.spam_share": Sentence(share("{} of the author's decided posts were spam")),
    "social.confirmed_spam": Sentence(
        things("earlier post", "earlier posts", " of the author confirmed as spam"),
        "No confirmed spam by the author",
    ),
    "social.complaints": Sentence(
        things("complaint", "complaints", " about the author's earlier posts"),
        "No complaints about the author",
    ),
    "social.same_text_posts": Sentence(
        things("time", "times", " before, the author posted this very text"),
        "The author has not posted this text before",
    ),
    "social.same_link_posts": Sentence(
        things("time", "times", " before, the author posted this link"),
        "The author has not posted this link before",
        _NO_LINK,
    ),
    "social.similar_posts": Sentence(
        things("earlier post reads", "earlier posts read", " nearly the same"), _NO_TWINS, _NO_TWINS
    ),
    "social.similar_posts_24h": Sentence(
        things("near-duplicate", "near-duplicates", " in the last 24 hours"),
        "No near-duplicates in 24 hours",
        _NO_TWINS,
    ),
    "social.similar_authors": Sentence(
        things("author", "authors", " posted near-duplicates"), "Nobody else posted this", _NO_TWINS
    ),
    "social.similar_spam_share": Sentence(
        share("{} of decided near-duplicates were spam"), unknown=_NO_TWINS
    ),
    "social.similar_confirmed_spam": Sentence(
        things("near-duplicate was", "near-duplicates were", " confirmed as spam"),
        "No near-duplicate was confirmed as spam",
        _NO_TWINS,
    ),
    "social.similar_complaints": Sentence(
        things("complaint", "complaints", " about near-duplicates"),
        "No complaints about near-duplicates",
        _NO_TWINS,
    ),
    "social.resembling_authors": Sentence(
        things("account looks", "accounts look", " like the author's"), _NO_LIKENESS
    ),
    "social.resembling_spam_share": Sentence(
        share("{} of decided posts of accounts that look alike were spam"), unknown=_NO_LIKENESS
    ),
    "social.resembling_spammers": Sentence(
        things("account that looks alike has", "accounts that look alike have", " confirmed spam"),
        "No account that looks alike has confirmed spam",
        _NO_LIKENESS,
    ),
    "social.resembling_complaints": Sentence(
        things("complaint", "complaints", " about accounts that look alike"),
        "No complaints about accounts that look alike",
        _NO_LIKENESS,
    ),
}
