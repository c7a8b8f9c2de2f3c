"""The pictures of the guides: none is missing, none is left over."""

from __future__ import annotations

import re
import struct

from deploy.local.places import ROOT

PICTURES = ROOT / "docs" / "pictures"
_NAMED = re.compile(r"pictures/([\w-]+\.png)")


def test_every_picture_that_a_page_names_is_there() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    named = {name for page in pages for name in _NAMED.findall(page.read_text())}

    assert named - {path.name for path in PICTURES.iterdir()} == set()
    assert {path.name for path in PICTURES.glob("*-light-1280.png")} - named == set()


def test_every_picture_has_the_size_in_its_name() -> None:
    sizes = {"1280": (1280, 800), "1920": (1920, 1080)}
    for path in PICTURES.iterdir():
        shown = struct.unpack(">II", path.read_bytes()[16:24])

        assert shown == sizes[path.stem.rpartition("-")[2]], path.name
