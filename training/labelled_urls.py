"""Labelled URLs with their registrable domain, in CSV: load, check, split by domain."""

import csv
import gzip
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from training.labelled_lines import Malformed

BENIGN = "benign"
_COLUMNS = {"url", "dom", "cls"}
_SHORTENED, _MOVED = 0.5, 0.35
_SUBDOMAINS = (
    *("api", "app", "blog", "de", "docs", "en", "forum", "img", "login", "m", "mail", "maps", "my", "news"),
    *("secure", "shop", "store", "support"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledUrl:
    """A URL, its registrable domain, and the class it was listed under; anything but "benign" is bad.

    `pattern` is the kind of link that it was written as, empty for real ones.
    """

    url: str
    domain: str
    kind: str
    pattern: str = ""

    @property
    def is_bad(self) -> bool:
        """True for phishing, malware and whatever else is not benign."""
        return self.kind != BENIGN


def relatives(urls: Sequence[LabelledUrl], *, generator: np.random.Generator) -> list[LabelledUrl]:
    """Return pages of benign hosts that lists leave out: front pages, shorter paths, other subdomains.

    Without them a model learns that a short URL, or one with a subdomain, is a bad one. Bad URLs get none:
    many of their hosts are honest sites that were broken into.
    """
    benign = [link for link in urls if not link.is_bad and _authority(link.url)]
    domains = {f"http://{_authority(link.url)}/": link.domain for link in benign}
    for link in benign:
        host, path = _authority(link.url), link.url.partition("://")[2].partition("/")[2]
        segments = path.split("/")
        if len(segments) > 1 and generator.random() < _SHORTENED:
            prefix = "/".join(segments[: int(generator.integers(1, len(segments)))])
            domains[f"http://{host}/{prefix}{'/' if generator.random() < 0.5 else ''}"] = link.domain
        if generator.random() < _MOVED:
            domains[f"http://{generator.choice(_SUBDOMAINS)}.{host}/{path}"] = link.domain
    return [LabelledUrl(url=url, domain=domain, kind=BENIGN) for url, domain in sorted(domains.items())]


def _authority(url: str) -> str:
    try:
        return urlsplit(url if "://" in url else f"http://{url}").netloc
    except ValueError:  # a bracket that opens no IPv6 address
        return ""


def load(path: Path) -> list[LabelledUrl]:
    """Read a CSV file (gzip if named .gz) with columns url, dom, cls. Raises Malformed."""
    urls = []
    with path.open("rb") as raw:
        file = gzip.GzipFile(fileobj=raw) if path.suffix == ".gz" else raw
        rows = csv.DictReader(io.TextIOWrapper(file, encoding="utf-8", newline=""))
        missing = _COLUMNS - set(rows.fieldnames or ())
        if missing:
            raise Malformed(f"{path.name}: the column {min(missing)} is missing")
        for number, row in enumerate(rows, start=2):
            if not row["url"] or not row["dom"] or not row["cls"]:
                raise Malformed(f"{path.name}, line {number}: an empty url, dom or cls")
            urls.append(LabelledUrl(url=row["url"], domain=row["dom"].lower(), kind=row["cls"]))
    return urls
