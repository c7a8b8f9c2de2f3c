"""What makes accounts look alike, and notes read alike: digests that are equal for those that do.

Pure, and stable across processes and versions: stored digests are compared with new ones.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from scoring.records import AuthorSnapshot

# Two accounts resemble each other if they share this many of their bands.
SHARED_BANDS = 2

_LETTERS = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+")
_NOTE_WORDS = 3
_NOTE_LETTERS = 24


def author_bands(author: AuthorSnapshot, *, ip_network: str, user_agent: str) -> tuple[int, ...]:
    """Return signed 64-bit digests of what a script that makes accounts leaves alike, at most five.

    Each joins two traits, since one alone (a mail provider, a browser) is shared by thousands. A trait that
    the platform did not send makes no band.
    """
    name = _name_shape(author.display_name)
    mail = (author.email_domain or "").rstrip(".").lower()
    week = author.created_at.strftime("%G-%V") if author.created_at else ""
    size = _magnitudes(author.friends, author.followers)
    pairs = (
        ("name and mail", name, mail),
        ("client and network", user_agent.strip(), ip_network),
        ("mail and week", mail, week),
        ("week and size", week, size),
        ("name and size", name, size),
    )
    return tuple(_digest(f"{kind}\0{first}\0{second}") for kind, first, second in pairs if first and second)


def note_digest(note: str) -> str:
    """Return 16 hex digits that copies of a note share, whatever their case, numbers, signs and endings.

    Empty for a note without letters.
    """
    folded = "".join(
        character
        for character in unicodedata.normalize("NFKD", note[:2000]).casefold()
        if unicodedata.category(character) not in ("Cf", "Mn")
    )
    words = "".join(_LETTERS.findall(folded)[:_NOTE_WORDS])[:_NOTE_LETTERS]
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest() if words else ""


def _name_shape(name: str) -> str:
    """Keep what a name generator adds: "Maria_vip37" and "Olga_vip9" are alike, "Rosa" has no shape."""
    without_first = _LETTERS.sub("", unicodedata.normalize("NFKC", name).casefold(), count=1)
    return _NUMBER.sub("0", " ".join(without_first.split()))


def _magnitudes(*counts: int | None) -> str:
    """Round counts to powers of four; empty where one is unknown."""
    if None in counts:
        return ""
    return ",".join(str((count or 0).bit_length() // 2) for count in counts)


def _digest(text: str) -> int:
    raw = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(raw, "big", signed=True)
