"""A reader's process in which the bytes have won: it runs what they ask for, jailed as every other."""

from __future__ import annotations

import time
from collections.abc import Mapping

from moderation.evidence import child, page
from moderation.evidence.facts import PageFacts

HOLDS = b"<p>holds its reader"


def read(data: bytes, hints: Mapping[str, str]) -> PageFacts:
    """Read a page, unless it holds the process until its deadline."""
    if HOLDS in data:
        time.sleep(60)
    return page.read(data, hints)


if __name__ == "__main__":
    child.READERS["page"] = "__main__:read"
    child.main()
