"""How a replay fetches and reads: from the simulated web in this process, with the readers that serve.

Nothing is guessed from what the simulation knows: a picture's text is what the engine read in its bytes.
What was read of the same bytes is not read again; with a file, not even in the next run.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from django.conf import settings

from moderation.evidence import picture_text
from moderation.evidence.facts import Reason, Unreadable
from moderation.evidence.reader import Reader
from moderation.models import desk_settings
from moderation.operations.evidence.answers import Answer
from moderation.operations.evidence.fetch import Means
from moderation.operations.infrastructure import egress
from moderation.scorer import shipped
from scoring.blocklist import Blocklist
from scoring.content import ContentModel, Unavailable
from scoring.pipeline import Scorer
from scoring.records import PostRecord
from simulation.web.shares import Mode
from simulation.web.simulated_web import SimulatedWeb

_SECONDS_PER_PICTURE, _SECONDS_PER_ANSWER = 120.0, 60.0

Opinions = Callable[[PostRecord], Mapping[str, float | None]]


def means(web: SimulatedWeb, *, readings: "Readings", clock: Callable[[], datetime]) -> Means:
    """Return means that ask a simulated web at the instant of the clock."""

    def get(url: str, *, seconds: float, is_browser: bool) -> Answer:  # noqa: ARG001 - it answers at once
        egress.check(url)
        agent = settings.EVIDENCE_BROWSER_AGENT if is_browser else desk_settings.current().evidence_agent
        reply = web.answer(url, agent=agent, at=clock())
        if reply is None:
            raise egress.Failed("RemoteProtocolError")
        if reply.location:
            return Answer(status=reply.status, location=reply.location)
        return Answer(status=reply.status, content_type=reply.content_type, body=reply.body)

    return Means(get=get, read=readings.read)


def opinions_of(triton: str) -> Opinions:
    """Return a function that gives the shipped sub-models' opinions of a post, with Triton's content model.

    It raises content.Unavailable without an answer: silence must not pass for harmless words.
    """
    release = shipped()
    content = ContentModel(
        url=triton,
        version=release.content.version,
        normaliser=release.normaliser,
        timeout_seconds=_SECONDS_PER_ANSWER,
    )
    scorer = Scorer(release=release, content=content)

    def opinions(record: PostRecord) -> Mapping[str, float | None]:
        opinion = scorer.score(record, blocklist=Blocklist())
        if opinion.is_degraded:
            raise Unavailable(f"no answer from {triton}")
        return opinion.sub_models

    return opinions


class Readings:
    """Reads bytes in processes that may be lost, and remembers; use it as a context, which ends them.

    `has_thumbnails` where somebody will look at the pictures.
    """

    def __init__(self, *, kept_in: Path | None = None, has_thumbnails: bool = False) -> None:
        memory = settings.EVIDENCE_LIMITS.read_bytes
        self._readers = {kind: Reader(memory_bytes=memory) for kind in ("page", "picture", "text")}
        self._known: dict[str, dict[str, Any]] = {}
        self._has_thumbnails = has_thumbnails
        self._file = kept_in
        if kept_in and kept_in.exists():
            for line in kept_in.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError):  # a killed run ends with half a line
                    entry = json.loads(line)
                    self._known[entry["of"]] = entry["said"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for reader in self._readers.values():
            reader.close()

    def read(self, kind: str, data: bytes, *, hints: Mapping[str, str], seconds: float) -> dict[str, Any]:
        """Return the facts of some bytes. Raises Unreadable."""
        # A picture says the same wherever it lies; what a page says depends on its address.
        reader = json.dumps(dict(hints)) if kind == "page" else str(picture_text.is_installed())
        of = sha256(data + f"{kind} {reader}".encode()).hexdigest()
        if of not in self._known:
            # The machine may be busy; no site waits for this.
            seconds = seconds * 4 if kind == "page" else _SECONDS_PER_PICTURE
            self._remember(of, self._said(kind, data, hints=hints, seconds=seconds), is_kept=kind != "page")
        facts = self._known[of]
        if "unreadable" in facts:
            raise Unreadable(Reason(facts["unreadable"]))
        return dict(facts)

    def _said(self, kind: str, data: bytes, *, hints: Mapping[str, str], seconds: float) -> dict[str, Any]:
        try:
            return self._readers[kind].read(kind, data, hints=hints, seconds=seconds)
        except Unreadable as unreadable:
            return {"unreadable": unreadable.reason.value}

    def _remember(self, of: str, said: dict[str, Any], *, is_kept: bool) -> None:
        self._known[of] = {
            name: fact for name, fact in said.items() if name != "thumbnail" or self._has_thumbnails
        }
        if self._file and is_kept:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"of": of, "said": self._known[of]}, ensure_ascii=False) + "\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Collecting:
    """What the posts of a replay lead to, and how late and with which readings that is collected.

    `opinions` gives the sub-models' opinions of a decided post; None asks nobody.
    """

    leads: Mode
    readings: Readings
    after_hours: float = 0.0
    opinions: Opinions | None = None

    @property
    def is_awaited(self) -> bool:
        """Tell whether every record waits for its evidence; else some are frozen before, as scoring does."""
        return self.leads != Mode.ORDINARY
