"""The interface of translation services."""

from __future__ import annotations

from typing import Protocol


class NotTranslated(Exception):
    """The service gave no translation; the message says what to do."""


class Unreachable(NotTranslated):
    """No valid answer came; a later call may succeed."""


class KeyRefused(NotTranslated):
    """The service wants another key."""


class Busy(NotTranslated):
    """The service, or this process, has too much to do."""


class Unsupported(NotTranslated):
    """The service does not translate this text into this language."""


class Translator(Protocol):
    """A translation service."""

    name: str
    """What people are told of who translated."""

    def translate(self, text: str, *, language: str) -> str:
        """Return the text in a language, such as "de", whatever it is in. Raises NotTranslated."""
