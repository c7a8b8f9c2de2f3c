"""Sentences of the context features: address and links."""

from datetime import timedelta

from django.utils.translation import gettext

from moderation.queries.cases.case_pages import History, PostRecord
from moderation.web.quantities import duration
from moderation.web.sentences.sentence import (
    Decided,
    Leaning,
    Said,
    Says,
    Sentence,
    address,
    days,
    days_known,
    flag,
    from_least,
    linked,
    network,
    number,
    of_complaints,
    of_last_day,
    provider,
    share,
    things,
    young,
)

NO_LINKS = "No links in the post"
_SPAM = Leaning.SPAM
_OF_ADDRESS = Decided("decided posts from this address", past=address, tail="; old ones count less")
_OF_DOMAIN = Decided(
    "decided posts with a linked domain",
    past=linked(lambda history: (history.confirmed_spam + 0.1) / (_decisions(history) + 1.0)),
)
_SPAM_DAYS = Sentence(
    things("day", "days", " with confirmed spam from this address"),
    leans=_SPAM,
    past=address,
    measure=lambda history, _: history.spam_days,
)


def _decisions(history: History) -> int:
    return history.confirmed_spam + history.confirmed_not_spam


def _link_age(_: float, record: PostRecord) -> str | Said:
    """Return the age at the time of scoring, whichever instant the feature counts to."""
    since = [link.reputation.live_since_at for link in record.links if link.reputation.live_since_at]
    if not since:
        return ""
    age = max(0.0, (record.at - max(since)) / timedelta(days=1))
    words = gettext("The newest link has been online for {}").format(duration(age * 86_400))
    return Said(words, young(30, old=365)(age))


def _threat(value: float, _: PostRecord) -> str:
    if value < 1:
        return gettext("Google Web Risk considers a link suspicious")
    return gettext("Google Web Risk lists a link as a threat")


def _trust(value: float) -> Leaning:
    return Leaning.SPAM if value < 40 else Leaning.HONEST if value >= 60 else Leaning.EITHER


def _several(value: float) -> Leaning:
    """One link or two stand in honest posts, too."""
    return Leaning.SPAM if value >= 3 else Leaning.EITHER if value else Leaning.HONEST


def _digits(value: float, record: PostRecord) -> str:
    """Ignore the digits of an xn-- host: they come from Punycode, not from the sender."""
    if any("xn--" in link.host for link in record.links):
        return ""
    sentence: Says = share("{} of the URL's characters are digits")
    return str(sentence(value, record))


SENTENCES: dict[str, Sentence | Decided] = {
    "context.ip_spam_share": _OF_ADDRESS,
    "context.ip_network_spam_share": Decided(
        "decided posts from this network", past=network, tail="; old ones count less"
    ),
    "context.ip_as_spam_share": Decided(
        "decided posts from this provider", past=provider, tail="; old ones count less"
    ),
    "context.ip_is_persistent_spammer": _SPAM_DAYS,
    "context.ip_spam_days": _SPAM_DAYS,
    "context.ip_authors": Sentence(
        things("author has", "authors have", " posted from this address"),
        none="First author seen from this address",
        past=address,
        measure=lambda history, _: history.authors,
    ),
    "context.ip_posts_24h": of_last_day(" from this address", past=address),
    "context.ip_complaints": of_complaints(" about earlier posts from this address", past=address),
    "context.ip_days_known": Sentence(
        days("This address has been known for {}"),
        none="First post from this address",
        leans=young(1, old=30),
        past=address,
        measure=days_known,
    ),
    "context.domain_days_known": Sentence(
        days("A linked domain was first seen here {} ago"),
        none="No earlier posts here link to this domain",
        leans=young(30, old=365),
        past=linked(lambda history: -history.first_seen_at.timestamp() if history.first_seen_at else 0.0),
        measure=days_known,
    ),
    "context.domain_posts": Sentence(
        things("earlier post", "earlier posts", " with this domain, not confirmed as spam"),
        "All earlier posts with this domain were confirmed as spam",
        none="No earlier posts here link to this domain",
        leans=lambda value: Leaning.SPAM if value == 0 else Leaning.HONEST if value >= 10 else Leaning.EITHER,
        past=linked(lambda history: history.confirmed_spam - history.posts),
        measure=lambda history, _: max(0, history.posts - history.confirmed_spam),
    ),
    "context.domain_posts_24h": of_last_day(
        " with this domain", past=linked(lambda history: history.posts_24h)
    ),
    "context.domain_authors": Sentence(
        things("author has", "authors have", " linked to this domain before"),
        none="No earlier posts here link to this domain",
        past=linked(lambda history: -history.authors),
        measure=lambda history, _: history.authors,
    ),
    "context.domain_spam_share": _OF_DOMAIN,
    "context.domain_complaints": of_complaints(
        " about earlier posts with this domain", past=linked(lambda history: history.complaints)
    ),
    "context.url_posts": Sentence(
        things("earlier post has", "earlier posts have", " exactly this URL"), leans=_SPAM
    ),
    "context.url_age_days": Sentence(_link_age),
    "context.url_wot_score": Sentence(
        number("The least trusted link has a trust score of {} out of 100"),
        "The least trusted link has a trust score of 0 out of 100",
        leans=_trust,
    ),
    "context.url_google_score": Sentence(_threat, "Google Web Risk lists none of the links", leans=_SPAM),
    "context.url_pattern_suspicion": Sentence(flag("A URL is written like phishing or malware"), leans=_SPAM),
    "context.link_count": Sentence(things("link", "links", " in the post"), NO_LINKS, leans=_several),
    "context.distinct_domains": Sentence(
        things("domain is", "different domains are", " linked"), NO_LINKS, leans=_several
    ),
    "context.url_length": Sentence(from_least(150, number("The longest URL has {} characters")), leans=_SPAM),
    "context.url_subdomains": Sentence(
        from_least(3, things("subdomain level", "subdomain levels", " before the registered domain")),
        leans=_SPAM,
    ),
    "context.url_digit_share": Sentence(_digits, leans=_SPAM),
    "context.url_path_tokens": Sentence(
        from_least(15, things("word", "words", " in the URL's path")), leans=_SPAM
    ),
    "context.url_bait_tokens": Sentence(
        things("bait word", "bait words", " in the URL, such as “login” or “prize”"),
        leans=_SPAM,
    ),
    "context.url_is_punycode": Sentence(flag("The host uses non-Latin characters (xn--)"), leans=_SPAM),
    "context.url_is_mixed_script": Sentence(flag("The host mixes look-alike alphabets"), leans=_SPAM),
    "context.url_is_lookalike": Sentence(flag("The host imitates a known brand"), leans=_SPAM),
    "context.url_is_ip_host": Sentence(flag("The link leads to a bare IP address"), leans=_SPAM),
    "context.url_is_shortener": Sentence(flag("A URL shortener hides where the link leads"), leans=_SPAM),
    "context.url_has_cheap_suffix": Sentence(
        flag("The top-level domain is sold cheaply in bulk"), leans=_SPAM
    ),
    "context.url_has_userinfo": Sentence(
        flag("A decoy name stands before the real host (name@host)"), leans=_SPAM
    ),
}
