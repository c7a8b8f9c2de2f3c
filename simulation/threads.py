"""What simulated posts answer: earlier posts, or articles that the platform does not send."""

import random
from collections import defaultdict, deque
from typing import Any

from simulation import authors
from simulation.texts import CuratedTexts, Text, TextSource

_ANSWERING_SHARE = 0.4
_ARTICLE_SHARE = 0.3
_REMEMBERED = 120
_NEW_ARTICLE_SHARE = 0.2


class Threads:
    """Chooses what a post answers, by chances of its own.

    People answer honest posts of their own family and language, spam any in its language.
    """

    def __init__(self, *, run: str, seed: int, texts: TextSource) -> None:
        self._run = run
        self._rng = random.Random(f"threads-{seed}")
        self._texts = texts if isinstance(texts, CuratedTexts) else None
        self._posts: deque[tuple[str, Text]] = deque(maxlen=_REMEMBERED)
        self._articles: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        self._articles_written = 0

    def parent(self, text: Text, *, post: str) -> dict[str, Any] | None:
        """Return what a post answers as the API takes it, None for most, and remember the post."""
        parent = self._parent(text) if self._rng.random() < _ANSWERING_SHARE else None
        self._posts.append((post, text))
        return parent

    def _parent(self, text: Text) -> dict[str, Any] | None:
        alike = [(name, earlier) for name, earlier in self._posts if _is_answered(earlier, by=text)]
        if alike and self._rng.random() >= _ARTICLE_SHARE:
            return {"external_id": self._rng.choice(alike)[0]}
        if text.kind.is_spam:
            return self._article(self._rng.choice(alike)[1]) if alike else None
        return self._article(text)

    def _article(self, text: Text) -> dict[str, Any] | None:
        """Return an article on the subject of a text, None if there is no other."""
        articles = self._articles[text.kind.name, text.language]
        if self._texts and (not articles or self._rng.random() < _NEW_ARTICLE_SHARE):
            self._articles_written += 1
            name = f"{self._run}-t{self._articles_written:04}"
            articles.append(
                {
                    "external_id": name,
                    "text": self._texts.reworded(text, rng=self._rng).text,
                    "author": {
                        "external_id": f"{name}-author",
                        "display_name": authors.first_name(text.language, rng=self._rng),
                    },
                }
            )
        others = [article for article in articles if article["text"] != text.text]
        return self._rng.choice(others) if others else None


def _is_answered(post: Text, *, by: Text) -> bool:
    is_about_it = by.kind.is_spam or post.kind == by.kind
    return not post.kind.is_spam and post.language == by.language and is_about_it
