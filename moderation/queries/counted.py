"""Which earlier posts a count on a case is of."""

from __future__ import annotations

from enum import StrEnum


class Counted(StrEnum):
    """What the counted posts have in common with the post of the case."""

    AUTHOR = "author"
    ADDRESS = "address"
    NETWORK = "network"
    PROVIDER = "provider"
    MAIL = "mail"
    DOMAIN = "domain"
    SIMILAR = "similar"
    RESEMBLING = "resembling"
