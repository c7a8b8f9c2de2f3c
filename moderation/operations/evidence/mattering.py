"""Whether posts are judged otherwise with some evidence than without it."""

from __future__ import annotations

from moderation import scorer
from moderation.models import Evidence, Promotion
from scoring import links
from scoring.evidence_model import EVIDENCE_FILE


def could_matter(row: Evidence) -> bool:
    """Return whether posts that carry an address could be judged otherwise now that it was fetched.

    Rules about links hold for the domains that a link leads to, too: so what leads to another domain than its
    own could matter. What is said there could if the live release reads it.
    """
    return any(_site(step["url"]) != row.site for step in row.chain) or (_says_something(row) and _is_read())


def _says_something(row: Evidence) -> bool:
    """Return whether a feature could be known of it: without words, forms, files and codes nothing speaks."""
    facts = row.facts or {}
    return any(facts.get(name) for name in ("title", "article", "text", "forms", "downloads", "codes"))


def _is_read() -> bool:
    """Return whether the live release looks at evidence. Its models are not loaded for that."""
    promoted = Promotion.objects.order_by("-id").values_list("release__manifest__files", flat=True).first()
    return EVIDENCE_FILE in (scorer.shipped().files if promoted is None else promoted)


def _site(url: str) -> str:
    found = links.links_in("", extra=[url])
    return (found[0].domain or found[0].host) if found else ""
