"""QR and bar codes in a picture; a link in one of them is a link of the post."""

from __future__ import annotations

import zxingcpp
from PIL import Image

from moderation.evidence.facts import storable
from moderation.evidence.picture_facts import Code

MOST_CODES, MOST_CHARACTERS = 10, 2_048


def read(picture: Image.Image) -> tuple[Code, ...]:
    """Return the codes of an RGB picture, also those of light squares on dark ground."""
    found = zxingcpp.read_barcodes(picture, try_invert=True)
    named = {code.text: code.format.name for code in found if code.valid and code.text}
    return tuple(
        Code(format=format_name, text=storable(text, most=MOST_CHARACTERS))
        for text, format_name in list(named.items())[:MOST_CODES]
    )
