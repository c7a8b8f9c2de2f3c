"""Generated parts of docs/models.md, each between its own two marks."""

import sys
from pathlib import Path


def publish(text: str, *, part: str, page: Path | None) -> None:
    """Print a part of a page between its marks; replace it on the page, if one is given, or append it."""
    begin, end = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
    card = f"{begin}\n{text.strip()}\n{end}"
    sys.stdout.write(f"{card}\n")
    if page is None:
        return
    before = page.read_text(encoding="utf-8") if page.exists() else ""
    if begin in before and end in before:
        whole = before.partition(begin)[0] + card + before.partition(end)[2]
    else:
        whole = f"{before.rstrip()}\n\n{card}\n".lstrip("\n")
    page.write_text(whole, encoding="utf-8")
