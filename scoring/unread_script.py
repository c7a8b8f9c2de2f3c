"""Detect posts that are mostly written in a script that the content model does not read.

For a script that it reads, its vocabulary holds words; for others single letters at best, and its output is
noise. Which scripts it reads is pinned in the release (training/served_content.py).
"""

import functools
import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from scoring.links import without_ascii_of_links
from scoring.normalise import normalise

MOST_CHARACTERS = 500
"""In characters, about the length of 128 word pieces: the model reads nothing after them in any script."""
_MOST_READ = 20_000  # of the raw text, as the content model is sent
_UNDECIDED = frozenset({"COMMON", "INHERITED", "UNKNOWN"})
_MENTION = re.compile(r"@\w+")


def in_release(text: str, *, platform: str, manifest: Mapping[str, Any]) -> str | None:
    """Return the script, as Unicode names it, that keeps a release's models from reading a post; None if they
    read it, or the release does not say what they read.

    A platform's head reads the scripts that it was fitted on.
    """
    share_from = manifest.get("safety", {}).get("unread_from")
    scripts = manifest.get("content", {}).get("scripts")
    if share_from is None or not scripts:
        return None
    head = manifest.get("heads", {}).get(platform, {})
    return unread(text, read={*scripts, *head.get("scripts", ())}, share_from=share_from)


def unread(text: str, *, read: Collection[str], share_from: float) -> str | None:
    """Return the commonest script outside `read` if at least this share of a text's letters is in such; else
    None. A text without letters is read.
    """
    if text.isascii() or not {*map(script_of, text)} - {*read, *_UNDECIDED}:
        return None
    letters = letters_by_script(text)
    others = Counter({script: count for script, count in letters.items() if script not in read})
    if not others or others.total() < share_from * letters.total():
        return None
    return min(others, key=lambda script: (-others[script], script))


def letters_by_script(text: str) -> Counter[str]:
    """Count a text's letters by script, as the content model gets them: disguise undone. Links and mentions
    are Latin in any language and are not counted; a hashtag is.
    """
    plain = _MENTION.sub(" ", without_ascii_of_links(normalise(text[:_MOST_READ]).text))
    letters = Counter(script_of(character) for character in plain[:MOST_CHARACTERS])
    return Counter({script: count for script, count in letters.items() if script not in _UNDECIDED})


@functools.lru_cache(maxsize=65_536)
def script_of(character: str) -> str:
    """Return the Unicode script of a letter, "COMMON" for what is none or belongs to many scripts."""
    if character.isascii() or not character.isalpha():
        return "LATIN" if character.isalpha() else "COMMON"
    # Imported late: its table is read at import.
    from confusable_homoglyphs.categories import alias

    return str(alias(character))
