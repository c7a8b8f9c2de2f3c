"""Features by what they can prove: the ensemble bounds how far those named here may move a post.

Why is said in docs/adr/0019-circumstances-do-not-excuse.md and, of links, in 0020-heads-per-platform.md.
"""

from __future__ import annotations

# Subject -> its counts of honest and of spam posts by human decisions. Not the domain's: anybody may link to
# an honest one.
EARNED = {
    "author": ("social.confirmed_honest", "social.confirmed_spam"),
    "near-duplicates": ("social.similar_confirmed_honest", "social.similar_confirmed_spam"),
}
# Circumstances that look suspicious but prove nothing: no decision, complaint, list or URL pattern supports
# them. Most new accounts, copies and pasted texts are honest.
UNPROVEN = (
    "context.ip_authors",
    "context.ip_posts_24h",
    "context.domain_posts",
    "context.domain_posts_24h",
    "context.domain_authors",
    "context.url_posts",
    "context.url_age_days",
    "social.account_age_days",
    "social.followers",
    "social.followers_per_friend",
    "social.is_verified",
    "social.posts",
    "social.posts_per_day",
    "social.posts_24h",
    "social.same_text_posts",
    "social.same_link_posts",
    "social.similar_posts",
    "social.similar_posts_24h",
    "social.similar_authors",
    "social.resembling_authors",
    "journey.steps",
    "journey.seconds",
    "journey.seconds_to_first_key",
    "journey.seconds_per_step",
    "journey.interval_variation",
    "journey.has_paste",
    "journey.distinct_step_share",
    "journey.sequence_log_ratio",
    "journey.sequence_probability",
)
# What a platform's head reads itself: links stand in the text, and it has learnt from the same decisions
# what they mean there. Not what baits or deceives, nor what lists, complaints and the URL model say: few
# decisions show any of that.
READ_BY_HEADS = (
    "context.link_count",
    "context.distinct_domains",
    "context.domain_spam_share",
    "context.url_length",
    "context.url_subdomains",
    "context.url_digit_share",
    "context.url_path_tokens",
    "context.url_is_shortener",
)
