"""The skeleton of a name: names that look alike have the same one.

After Unicode Technical Standard 39, section 4, with its table of confusables, and beyond it: case, accents
and the letters i and l count as alike, since a reader in a hurry confuses them.
"""

import unicodedata

from scoring.normalise import lookalikes

_ASCII = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "!": "l", "$": "s", "5": "s"})
_PAIRS = (("rn", "m"), ("vv", "w"))


def skeleton(name: str) -> str:
    """Return the skeleton of a short name; not fit for showing."""
    folded = unicodedata.normalize("NFKD", name).casefold()
    letters = (
        lookalikes.latin_twin(letter) or lookalikes.rough_twin(letter) or letter
        for letter in folded
        if letter.isascii() or unicodedata.category(letter) not in ("Cf", "Mn", "Me")
    )
    plain = "".join(letters).casefold().translate(_ASCII)
    for pair, letter in _PAIRS:
        plain = plain.replace(pair, letter)
    return plain
