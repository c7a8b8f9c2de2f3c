"""Sentences of the context features: address and links."""

from __future__ import annotations

from moderation.web.sentences.sentence import Sentence, days, flag, number, share, things

_NO_IP = "No address was sent"
_NO_LINK = "The post has no links"
_NO_REPUTATION = "No reputation provider spoke of the links"

SENTENCES: dict[str, Sentence] = {
    "context.ip_spam_share": Sentence(
        share("{} of decided posts from this address were spam"), unknown=_NO_IP
    ),
    "context.ip_network_spam_share": Sentence(
        share("{} of decided posts from this network were spam"), unknown=_NO_IP
    ),
    "context.ip_as_spam_share": Sentence(
        share("{} of decided posts from this provider were spam"), unknown="The address's provider is unknown"
    ),
    "context.ip_is_persistent_spammer": Sentence(
        flag("This address persistently posts spam"), "This address is no persistent spammer", _NO_IP
    ),
    "context.ip_spam_days": Sentence(
        things("day", "days", " with confirmed spam from this address"),
        "No confirmed spam from this address",
        _NO_IP,
    ),
    "context.ip_authors": Sentence(
        things("author has", "authors have", " posted from this address"),
        "First author seen at this address",
        _NO_IP,
    ),
    "context.ip_posts_24h": Sentence(
        things("post", "posts", " from this address in 24 hours"),
        "No other post from this address in 24 hours",
        _NO_IP,
    ),
    "context.ip_complaints": Sentence(
        things("complaint", "complaints", " about earlier posts from this address"),
        "No complaints about this address",
        _NO_IP,
    ),
    "context.ip_days_known": Sentence(
        days("This address has been known for {}"), "First post from this address", _NO_IP
    ),
    "context.domain_days_known": Sentence(
        days("The newest linked domain was first seen {} ago"),
        "A linked domain was never seen before",
        _NO_LINK,
    ),
    "context.domain_posts": Sentence(
        things("earlier post, not spam, links", "earlier posts, not spam, link", " to the rarest domain"),
        "No earlier post but spam linked to this domain",
        _NO_LINK,
    ),
    "context.domain_posts_24h": Sentence(
        things("post", "posts", " with this domain in 24 hours"),
        "No other post with this domain in 24 hours",
        _NO_LINK,
    ),
    "context.domain_authors": Sentence(
        things("author has", "authors have", " linked to this domain"),
        "No other author linked to this domain",
        _NO_LINK,
    ),
    "context.domain_spam_share": Sentence(
        share("{} of decided posts with the worst linked domain were spam"), unknown=_NO_LINK
    ),
    "context.domain_complaints": Sentence(
        things("complaint", "complaints", " about earlier posts with this domain"),
        "No complaints about this domain",
        _NO_LINK,
    ),
    "context.url_posts": Sentence(
        things("earlier post has", "earlier posts have", " exactly this URL"),
        "This URL was never posted before",
        _NO_LINK,
    ),
    "context.url_age_days": Sentence(
        days("The newest link has been on the web for {}"),
        "The newest link went live today",
        "Nobody knows how old the link is",
    ),
    "context.url_wot_score": Sentence(
        number("The least trusted link has {} of 100 points of trust"), unknown=_NO_REPUTATION
    ),
    "context.url_google_score": Sentence(
        number("Google Web Risk rates the worst link {} (1 is a listed threat)"),
        "Google Web Risk lists none of the links",
        _NO_REPUTATION,
    ),
    "context.url_pattern_suspicion": Sentence(
        share("A URL is written like phishing or malware (by {} of the scale)"),
        "No URL is written like phishing or malware",
        _NO_LINK,
    ),
    "context.link_count": Sentence(things("link", "links", " in the post"), "No links in the post"),
    "context.distinct_domains": Sentence(
        things("domain is", "different domains are", " linked"), "No domain is linked"
    ),
    "context.url_length": Sentence(number("The longest URL has {} characters"), unknown=_NO_LINK),
    "context.url_subdomains": Sentence(
        things("label stands", "labels stand", " before the domain that answers"),
        "The link has no subdomain",
        _NO_LINK,
    ),
    "context.url_digit_share": Sentence(
        share("{} of the URL's characters are digits"), "No digits in the URL", _NO_LINK
    ),
    "context.url_path_tokens": Sentence(
        things("word", "words", " in the URL's path"), "The URL has no path", _NO_LINK
    ),
    "context.url_bait_tokens": Sentence(
        things("bait word", "bait words", " in the URL, such as login or prize"),
        "No bait words in the URL",
        _NO_LINK,
    ),
    "context.url_is_punycode": Sentence(
        flag("The host is written in a foreign alphabet (xn--)"), "The host is plain ASCII", _NO_LINK
    ),
    "context.url_is_mixed_script": Sentence(
        flag("The host mixes alphabets that look alike"), "The host keeps to one alphabet", _NO_LINK
    ),
    "context.url_is_lookalike": Sentence(
        flag("The host imitates a known brand"), "The host imitates no known brand", _NO_LINK
    ),
    "context.url_is_ip_host": Sentence(
        flag("The link leads to a bare IP address"), "The link leads to a named host", _NO_LINK
    ),
    "context.url_is_shortener": Sentence(
        flag("A URL shortener hides where the link leads"), "No URL shortener", _NO_LINK
    ),
    "context.url_has_cheap_suffix": Sentence(
        flag("The top-level domain is one sold in bulk"),
        "The top-level domain is not one sold in bulk",
        _NO_LINK,
    ),
    "context.url_has_userinfo": Sentence(
        flag("A decoy name stands before the real host (name@host)"), "No decoy before the host", _NO_LINK
    ),
}
