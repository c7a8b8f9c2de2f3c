"""A simulated new platform: it sends texts, and its moderator decides what is shown.

Import after Django is set up. Posts and decisions go through the API.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Self

import httpx
from django.utils import timezone

from lab import _product, _stack
from moderation.models import Case, FeedEntry, Revision, User
from moderation.models.cases import CaseState
from moderation.models.feed import Stream
from moderation.models.platforms import Removal, Scope
from moderation.models.posts import ScoreState
from moderation.operations.accounts import api_keys, platforms
from moderation.operations.labels.draws import MOST_POSTS
from training.dataset import Example

_AT_ONCE = 50
"""So many posts arrive, then what is shown of them is decided, and so on: the queue never grows long."""
_NO_BOUND = 1_000_000
_PATIENCE_SECONDS = 120


class NewPlatform:
    """One platform with its key; `decided` counts what its moderator has decided so far."""

    def __init__(self, texts: Sequence[Example]) -> None:
        at, lead = timezone.now(), User.objects.get(username="lead")
        self.decided = 0
        self._platform = platforms.register(slug="decided", name="Decided", removal=Removal.ALWAYS, at=at)
        # Months pass in minutes here: a bound of cases a day would leave no audit sample.
        self._platform = platforms.change(
            platform_id=self._platform.pk, audit_cases_per_day=_NO_BOUND, actor=lead, at=at
        )
        _, secret = api_keys.issue(
            platform=self._platform,
            name="bench",
            scopes=Scope.values,
            expires_at=None,
            acts_as=lead,
            at=at,
        )
        self._api = httpx.Client(
            base_url=f"{_stack.web_url()}/api/v1",
            headers={"Authorization": f"Bearer {secret}"},
            trust_env=False,
            timeout=60,
        )
        self._texts = {f"post-{number}": text for number, text in enumerate(texts)}
        self._waiting = list(self._texts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._api.close()

    def decide(self, wanted: int) -> None:
        """Let posts arrive until so many decisions stand: what queue and audit sample show is decided.

        Where all have arrived before, random posts are asked for, as the guide says.
        """
        while self.decided < wanted:
            if self._decide_shown(wanted):
                continue
            if self._waiting:
                self._send(self._waiting[:_AT_ONCE])
                del self._waiting[:_AT_ONCE]
            elif not self._draw(min(wanted - self.decided, MOST_POSTS)):
                break
        numbered = FeedEntry.objects.filter(
            platform=self._platform, stream=Stream.LABELS, number__isnull=False
        )
        _wait(numbered.count, expected=self.decided, says="labels final")

    def _send(self, names: Sequence[str]) -> None:
        lines = "\n".join(json.dumps(_payload(name, self._texts[name])) for name in names)
        answer = self._ask(
            "POST", "/posts:bulk", content=lines, headers={"Content-Type": "application/x-ndjson"}
        )
        refusals = [result["problem"]["detail"] for result in answer["results"] if "problem" in result]
        if refusals:
            raise RuntimeError(f"{len(refusals)} posts were refused: {refusals[0]}")
        revisions = Revision.objects.filter(
            post__platform=self._platform,
            post__external_id__in=names,
            score_state=ScoreState.SCORED,
        )
        _wait(revisions.count, expected=len(names), says="posts scored")

    def _decide_shown(self, wanted: int) -> bool:
        """Decide the open cases, the oldest first; return whether there was one."""
        cases = Case.objects.filter(state=CaseState.OPEN, post__platform=self._platform)
        rows = list(
            cases.order_by("opened_at", "id").values_list("pk", "version", "post__external_id")[
                : wanted - self.decided
            ]
        )
        for case, version, name in rows:
            self._ask("PUT", f"/claims/{case}")
            verdict = {"verdict": "spam" if self._texts[name].label else "not_spam", "version": version}
            self._ask("POST", f"/cases/{case}/decisions", json=verdict)
        self.decided += len(rows)
        return bool(rows)

    def _draw(self, posts: int) -> bool:
        """Ask for random posts to be labelled; return False once nothing is left."""
        answer = self._api.post("/label-draws", json={"posts": posts, "days": 7})
        if answer.status_code == httpx.codes.CREATED:
            return True
        if str(answer.json().get("type", "")).endswith("nothing_to_draw"):
            return False
        raise RuntimeError(f"no draw: {answer.status_code} {answer.text[:300]}")

    def _ask(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        answer = self._api.request(method, path, **options)
        if not answer.is_success:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        content: dict[str, Any] = answer.json()
        return content


def _payload(name: str, text: Example) -> dict[str, Any]:
    """Return a post of a platform that sends nothing but texts: each by an author of its own."""
    return {
        "external_id": name,
        "text": text.text,
        "language": None if text.lang == "xx" else text.lang,
        "posted_at": datetime.now(UTC).isoformat(),
        "author": {"external_id": f"author-of-{name}"},
    }


def _wait(done: Any, *, expected: int, says: str) -> None:
    if not _product.wait_for(
        done=done, expected=expected, says=says, patience_seconds=_PATIENCE_SECONDS, every_seconds=0.2
    ):
        raise RuntimeError(f"{done()} of {expected} {says} after {_PATIENCE_SECONDS} s: see the logs")
