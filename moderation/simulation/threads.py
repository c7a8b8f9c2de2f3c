"""What simulated posts answer: posts of before, or articles that the platform shows and does not send."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

from moderation.simulation.texts import ComposedTexts

_ANSWERING_SHARE = 0.3
_ARTICLE_SHARE = 0.3
_REMEMBERED = 40
_ARTICLES_OPEN = 6
_NEW_ARTICLE_SHARE = 0.08


class Threads:
    """Chooses what a post answers, by chances of its own: worlds of a seed stay what they were without it.

    Spam and ordinary posts answer alike, mostly in the language of what they answer.
    """

    def __init__(self, *, run: str, seed: int, has_articles: bool) -> None:
        self._run = run
        self._rng = random.Random(f"threads-{seed}")
        self._has_articles = has_articles
        self._posts: deque[tuple[str, str]] = deque(maxlen=_REMEMBERED)
        self._articles: deque[dict[str, Any]] = deque(maxlen=_ARTICLES_OPEN)
        self._articles_written = 0

    def parent(self, *, post: str, language: str) -> dict[str, Any] | None:
        """Return what a post answers as the API takes it, None for most, and remember the post."""
        found = self._parent(language) if self._rng.random() < _ANSWERING_SHARE else None
        self._posts.append((post, language))
        return found

    def _parent(self, language: str) -> dict[str, Any] | None:
        if self._has_articles and self._rng.random() < _ARTICLE_SHARE:
            return self._article()
        alike = [name for name, spoken in self._posts if spoken == language]
        return {"external_id": self._rng.choice(alike)} if alike else None

    def _article(self) -> dict[str, Any]:
        if not self._articles or self._rng.random() < _NEW_ARTICLE_SHARE:
            self._articles_written += 1
            paragraphs = (ComposedTexts().take(rng=self._rng, is_spam=False) for _ in range(3))
            self._articles.append(
                {
                    "external_id": f"{self._run}-t{self._articles_written:04}",
                    "text": "\n\n".join(text.text for text in paragraphs),
                    "author": {"external_id": f"{self._run}-editors", "display_name": "Editors"},
                }
            )
        return self._rng.choice(self._articles)
