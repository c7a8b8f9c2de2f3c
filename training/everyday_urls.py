"""Everyday links, written by pattern: the benign side that lists of crawled pages lack. They are simulated.
Beside them are scam links on a scammer's own hosts, rare in those lists.

everyday_urls.toml describes each kind and its reason. Domains come from a list of popular ones; those that
anyone may publish on are left out, since their name excuses nothing. Small sites, schools and names in other
alphabets are invented.
"""

import functools
import string
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import numpy as np

from scoring.known_domains import open_domains
from scoring.links import registrable_domain
from scoring.normalise import words as normaliser_words
from scoring.url_shape import BRANDS
from training.labelled_urls import BENIGN, LabelledUrl

URLS_PER_KIND = 1500

_T = TypeVar("_T")
_PATTERNS = Path(__file__).with_suffix(".toml")
_HEX = "0123456789abcdef"
_LETTERS = string.ascii_letters + string.digits


def kinds() -> dict[str, str]:
    """Return the kinds of links and why a list of crawled pages lacks each."""
    return {kind: stored["why"] for kind, stored in _patterns()["kinds"].items()}


def popular_domains(path: Path, *, without: Collection[str] = ()) -> list[str]:
    """Read registrable domains, one per line, less those that anyone may write to and those in `without`."""
    names = {line.strip().lower() for line in path.read_text(encoding="utf-8").splitlines()}
    refused = {*open_domains(), *without, ""}
    return sorted(name for name in names - refused if name.partition(".")[0] != "blogspot")


def well_known() -> tuple[str, ...]:
    """Return some popular domains, to use without a list: newspapers, shops, videos."""
    return _words("well_known")


def write(
    sites: Sequence[str],
    *,
    generator: np.random.Generator,
    urls_per_kind: int = URLS_PER_KIND,
    label: str = BENIGN,
) -> list[LabelledUrl]:
    """Write links of every kind, duplicates left out, scam links if `label` is another than BENIGN; the same
    generator state writes the same links.
    """
    writer = _Writer(sites, generator)
    links: dict[str, LabelledUrl] = {}
    for kind, stored in _patterns()["kinds" if label == BENIGN else "scams"].items():
        for number in range(urls_per_kind):
            address = writer.fill(stored["patterns"][number % len(stored["patterns"])])
            host = address.partition("/")[0].rpartition("@")[2].partition(":")[0]
            domain = registrable_domain(host) or host
            url = LabelledUrl(url=f"http://{address}", domain=domain, kind=label, pattern=kind)
            links.setdefault(url.url, url)
    return list(links.values())


class _Writer:
    """Fills the slots of patterns, drawing each anew."""

    def __init__(self, sites: Sequence[str], generator: np.random.Generator) -> None:
        self._generator = generator
        self._slots: dict[str, Callable[[], str]] = {
            "site": lambda: self._one_of(sites),
            "local": self._local,
            "campus": self._campus,
            "label": lambda: self._local().partition(".")[0],
            "brand": lambda: self._one_of(sorted(BRANDS)),
            "homograph": lambda: f"xn--{self._slot('brand').replace('a', 'а').encode('punycode').decode()}",  # noqa: RUF001
            "lure": lambda: self._one_of(_words("lures")),
            "cheap": lambda: self._one_of(_words("cheap")),
            "free": lambda: self._one_of(_words("free")),
            "tld": lambda: self._one_of(_words("tlds")),
            "page": lambda: self._one_of(_words("pages")),
            "random": lambda: self._letters(self._number(5, 11), of=string.ascii_lowercase + string.digits),
            "address": lambda: ".".join(str(self._number(1, 255)) for _ in range(4)),
            "idn": self._idn,
            "sub": lambda: self._one_of(_words("subdomains")),
            "word": lambda: self._one_of(_words("folders")),
            "slug": lambda: "-".join(self._phrase(2, 10)),
            "Slug": lambda: self._one_of("-_").join(self._phrase(1, 4)).title(),
            "under": lambda: "_".join(self._phrase(2, 9)),
            "plus": lambda: "+".join(self._phrase(1, 5)),
            "title": self._title,
            "user": self._user,
            "lang": lambda: self._one_of(_words("language_codes")),
            "country": lambda: self._one_of(_words("country_suffixes")),
            "tracking": lambda: self.fill(self._one_of(_words("tracking"))),
            "yyyy": lambda: str(self._number(2008, 2027)),
            "mm": lambda: f"{self._number(1, 13):02}",
            "dd": lambda: f"{self._number(1, 29):02}",
            "mon": lambda: self._one_of(_words("months")),
            "digit": lambda: str(self._number(1, 30)),
            "letter": lambda: self._one_of("bdepwx"),
            "capitals": lambda: "B0" + self._letters(8, of=string.ascii_uppercase + string.digits),
            "meeting": lambda: "-".join(self._letters(size, of=string.ascii_lowercase) for size in (3, 4, 3)),
            "uuid": lambda: "-".join(self._letters(size, of=_HEX) for size in (8, 4, 4, 4, 12)),
            "digits": lambda: self._letters(self._number(4, 14), of=string.digits),
            "hex": lambda: self._letters(self._number(7, 17), of=_HEX),
            "token": lambda: self._letters(self._number(5, 13), of=_LETTERS),
            "degrees": lambda: f"{self._generator.uniform(-60, 70):.{self._number(3, 8)}f}",
            "version": lambda: ".".join(str(self._number(0, 25)) for _ in range(3)),
            "file": lambda: self._one_of(_words("file_endings")),
            "source": lambda: self._one_of(_words("source_endings")),
        }

    def fill(self, pattern: str) -> str:
        """Return the pattern with every slot drawn; {token22}, {hex32} and {digits5} have that length."""
        parts = string.Formatter().parse(pattern)
        return "".join(literal + (self._slot(name) if name else "") for literal, name, _, _ in parts)

    def _slot(self, name: str) -> str:
        if name in self._slots:
            return self._slots[name]()
        stem = name.rstrip(string.digits)
        letters = {"digits": string.digits, "hex": _HEX, "token": _LETTERS + "-_"}[stem]
        return self._letters(int(name.removeprefix(stem)), of=letters)

    def _phrase(self, least: int, most: int) -> Iterator[str]:
        words = self._one_of(_languages())
        for _ in range(self._number(least, most)):
            is_number = self._generator.random() < 0.05
            yield self._letters(self._number(1, 5), of=string.digits) if is_number else self._one_of(words)

    def _title(self) -> str:
        if self._generator.random() < 0.4:
            return "_".join(self._phrase(1, 4)).capitalize()
        return quote(
            "_".join(self._one_of(_words("titles")) for _ in range(self._number(1, 3))), safe="%_(),-'"
        )

    def _name(self) -> str:
        """Return a family name, an English word, or a word of another language."""
        names, english = _words("names"), _english()
        return self._one_of(self._one_of([names, names, english, english, *_languages()]))

    def _user(self) -> str:
        endings = ("", f"-{self._name()}", self._one_of(_words("trades")), str(self._number(1, 3000)))
        return self._one_of(_words("names")) + self._one_of(endings)

    def _local(self) -> str:
        name, other, trade = self._name(), self._name(), self._one_of(_words("trades"))
        joint = self._one_of(("-", "-", ""))
        labels = (
            f"{name}{joint}{trade}",
            f"{trade}{joint}{name}",
            f"{name}{joint}{other}{joint}{trade}",
            f"{name}{joint}{other}",
            f"{self._letters(self._number(2, 4), of=string.ascii_lowercase)}{joint}{trade}",
            name,
        )
        return f"{self._one_of(labels)}.{self._one_of(_words('suffixes'))}"

    def _campus(self) -> str:
        return self._one_of(_words("campuses")).format(name=self._name(), other=self._name())

    def _idn(self) -> str:
        name = self._one_of([title for title in _words("titles") if not title.isascii()])
        name = name.lower().replace("_", "-")
        is_left_to_right = all(unicodedata.bidirectional(letter) not in {"R", "AL"} for letter in name)
        if is_left_to_right and self._generator.random() < 0.5:
            name += f"-{self._one_of(_words('trades'))}"
        is_cyrillic = any("\u0430" <= letter <= "\u044f" for letter in name)
        suffixes = ("xn--p1ai", "ru") if is_cyrillic else ("de", "com", "org", "fr", "se", "net", "jp")
        return f"xn--{name.encode('punycode').decode()}.{self._one_of(suffixes)}"

    def _letters(self, size: int, *, of: str) -> str:
        return "".join(of[place] for place in self._generator.integers(len(of), size=size))

    def _number(self, least: int, below: int) -> int:
        return int(self._generator.integers(least, below))

    def _one_of(self, choices: Sequence[_T]) -> _T:
        return choices[self._number(0, len(choices))]


@functools.cache
def _patterns() -> dict[str, Any]:
    return tomllib.loads(_PATTERNS.read_text(encoding="utf-8"))


@functools.cache
def _words(name: str) -> tuple[str, ...]:
    return tuple(_patterns()["words"][name].split())


@functools.cache
def _languages() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(words.split()) for words in _patterns()["languages"].values())


@functools.cache
def _english() -> tuple[str, ...]:
    """Return words that may be part of a name."""
    return tuple(word for word in normaliser_words.listed() if len(word) > 3)
