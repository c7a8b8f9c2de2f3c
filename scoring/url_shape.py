"""Measures of the characters of one URL. Pure text: no history, no network.

The word lists are short and written by hand; the learned n-gram model beside them is urls.py.
"""

import functools
import re
from dataclasses import dataclass

from scoring.known_domains import popular_domains


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


BRANDS = _set_of(
    "amazon apple binance blockchain coinbase dhl ebay facebook fedex google icloud instagram linkedin "
    "metamask microsoft netflix office365 outlook paypal steam telegram tiktok twitter usps walmart "
    "wellsfargo whatsapp youtube"
)
_GENUINE = _set_of(
    "applemusic.com facebookmail.com googleusercontent.com googlevideo.com linkedin.cn whatsapp.net"
)
_SHORTENERS = _set_of(
    "bit.ly buff.ly cutt.ly goo.gl is.gd lnkd.in ow.ly rb.gy rebrand.ly s.id shorturl.at t.co t.ly "
    "tiny.cc tinyurl.com v.gd"
)
_CHEAP_SUFFIXES = _set_of(
    "bond buzz cam cf cfd click club cyou fun ga gq icu live lol ml monster online pw quest rest sbs shop "
    "site space store tk top vip website work xyz zip"
)
_BAIT = _set_of(
    "account airdrop bonus bonuses cash casino cheap claim confirm deal deals discount earn free gift "
    "giveaway invest login loan mint password pills prize promo refund reward rewards secure signin "
    "unlock update verification verify wallet win winner"
)
# Letters of other scripts and digits that look like Latin letters; Unicode TR39 has the whole table.
_PASSES_FOR = str.maketrans("аеорсухіјѕԁԛԝһѵӏɡıοαν013457", "aeopcyxijsdqwhvlgioavoleast")  # noqa: RUF001 on purpose
_TOKEN = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class UrlShape:
    """Measures of one URL; counts are ≥ 0, shares in [0, 1], flags 0 or 1."""

    length: float
    subdomains: float
    digit_share: float
    path_tokens: float
    bait_tokens: float
    is_punycode: float
    is_mixed_script: float
    is_lookalike: float
    is_ip_host: float
    is_shortener: float
    has_cheap_suffix: float
    has_userinfo: float


@functools.lru_cache(maxsize=16_384)
def shape_of(url: str, host: str, domain: str) -> UrlShape:
    """Measure a URL as links.py wrote it: `host` in its ASCII form, `domain` registrable or empty for an IP
    address.
    """
    authority, _, path = url.partition("://")[2].partition("/")
    tokens = _TOKEN.findall(path.lower())
    address = host + "/" + path
    return UrlShape(
        length=float(len(url)),
        # "www" is one; an IP address, which has no registrable domain, has none.
        subdomains=float(host.count(".") - domain.count(".") if domain else 0),
        digit_share=sum(character.isdigit() for character in address) / len(address),
        path_tokens=float(len(tokens)),
        bait_tokens=float(sum(token in _BAIT for token in (*tokens, *_TOKEN.findall(host.lower())))),
        is_punycode=float(any(label.startswith("xn--") for label in host.split("."))),
        is_mixed_script=float(_is_mixed_script(host)),
        is_lookalike=float(_is_lookalike(host, domain, user=authority.rpartition("@")[0])),
        is_ip_host=float(not domain and (host.startswith("[") or host.replace(".", "").isdigit())),
        is_shortener=float(domain in _SHORTENERS),
        has_cheap_suffix=float(domain.rpartition(".")[2] in _CHEAP_SUFFIXES),
        has_userinfo=float("@" in authority),
    )


def shown(host: str) -> str:
    """Return a host as a reader sees it: punycode is decoded."""
    return ".".join(map(_decoded, host.split(".")))


def _is_mixed_script(host: str) -> bool:
    """Return whether a label of the host mixes scripts and holds look-alike letters."""
    if host.isascii() and "xn--" not in host:
        return False
    from confusable_homoglyphs import confusables

    return any(confusables.is_dangerous(_decoded(label)) for label in host.split("."))


def _is_lookalike(host: str, domain: str, *, user: str) -> bool:
    """Return whether a host spells a known brand or a popular domain without belonging to it, or a user part
    before it names one: paypa1.com, apple.login-id.top, bbc.co.uk.news.example.
    """
    owner, popular = domain.partition(".")[0], popular_domains()
    if owner in BRANDS or domain in _GENUINE or domain in popular:
        return False
    in_front = host.removesuffix(domain).strip(".").removeprefix("www.")
    if not popular.isdisjoint({in_front, user}) or _folded(_readable(domain)) in _folded_popular_domains():
        return True
    readable = _readable(host.lower())
    tokens = {*_TOKEN.findall(_joined_up(readable)), *_TOKEN.findall(readable)}
    joined = readable.replace("-", "")
    # A short brand is part of ordinary words (pineapple, steamy); it must be a word of its own.
    return any(brand in tokens or (len(brand) > 5 and brand in joined) for brand in BRANDS)


@functools.cache
def _folded_popular_domains() -> frozenset[str]:
    return frozenset(_folded(name.translate(_PASSES_FOR)) for name in popular_domains())


def _folded(readable: str) -> str:
    """Make equal what one eye takes for the other: wikipedla.org."""
    return _joined_up(readable).replace("i", "l")


def _joined_up(readable: str) -> str:
    return readable.replace("rn", "m").replace("vv", "w")


def _readable(host: str) -> str:
    return shown(host).translate(_PASSES_FOR)


def _decoded(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except (ValueError, OverflowError):
        return label
