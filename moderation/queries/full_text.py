"""Full-text search in PostgreSQL's `simple` configuration, without stemming or stop words."""

import re
from typing import Any

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db.models import QuerySet
from django.db.models.functions import Left

from moderation.models import Author, Domain, Revision
from moderation.models.domains import words_of_a_name
from moderation.models.posts import SEARCHED_CHARACTERS

_CONFIG = "simple"
_BEGINNING = re.compile(r"(\w+)\*")


def query(text: str) -> SearchQuery:
    """Parse user input: words, "a phrase", -without, one or other, and begin* for a prefix."""
    terms = SearchQuery(_BEGINNING.sub(" ", text), config=_CONFIG, search_type="websearch")
    # Only raw syntax knows prefixes, and it fails on stray operators: \w+ lets none in.
    for word in _BEGINNING.findall(text):
        beginning = SearchQuery(f"{word}:*", config=_CONFIG, search_type="raw")
        terms = beginning if not _BEGINNING.sub("", text).strip() else terms & beginning
    return terms


def revisions(text: str) -> QuerySet[Revision]:
    """Return the revisions whose text matches."""
    vector = SearchVector(Left("text", SEARCHED_CHARACTERS), config=_CONFIG)
    return Revision.objects.alias(words=vector).filter(words=query(text))


def authors(text: str) -> QuerySet[Author]:
    """Return the authors with a word in name or id that begins like this."""
    vector = SearchVector("display_name", "external_id", config=_CONFIG)
    whole = SearchQuery(text, config=_CONFIG, search_type="plain")
    begun = _all_begun(text)
    return Author.objects.alias(words=vector).filter(words=begun | whole if begun else whole)


def domains(text: str) -> QuerySet[Domain]:
    """Return the domains with a part of the name that begins like this."""
    vector = SearchVector(words_of_a_name(), config=_CONFIG)
    begun = _all_begun(text)
    return Domain.objects.alias(words=vector).filter(words=begun) if begun else Domain.objects.none()


def _all_begun(text: str) -> SearchQuery | None:
    """Build a prefix query of all words; None if there are none."""
    terms: Any = None
    for word in re.findall(r"[^\W_]+", text)[:12]:
        begun = SearchQuery(f"{word}:*", config=_CONFIG, search_type="raw")
        terms = terms & begun if terms else begun
    return terms  # type: ignore[no-any-return]  # joined queries have no type of their own
