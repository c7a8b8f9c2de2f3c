"""Composition root: the live release's Scorer in this process, and those of other kept releases.

The newest Promotion row names the live release. Every process reads it about once a second, so that a
promotion reaches web and workers without a restart; a batch in progress is finished with its own release.
"""

import threading
import time
from enum import Enum
from functools import lru_cache
from pathlib import Path

import structlog
from django.conf import settings
from django.db import DatabaseError, connection

from moderation.models import Promotion
from scoring import hosting
from scoring.content import FIRST, LAST, ContentModel, load_client
from scoring.normalise import VersionMismatch
from scoring.pipeline import Scorer
from scoring.release import Corrupt, Release, SchemaMismatch

log = structlog.get_logger(__name__)

CHECK_SECONDS = 1.0
_MOST_KEPT = 8
"""Scorers, and clients of content models, that a process keeps for all purposes together."""


class NotKept(Exception):
    """A release whose files are not here: it scored on another installation, or its folder was removed."""


class Loading(Exception):
    """The release is still being loaded, which takes longer than a waiting sender's budget."""


UNUSABLE = (NotKept, Corrupt, SchemaMismatch, VersionMismatch)
"""Permanent errors of a release that cannot score here; a retry does not help."""


class _For(Enum):
    """What a content model is asked for: to score, for a sender who waits, after all others in Triton, or to
    see what it answers now.
    """

    SCORES = 1
    WAITING = 2
    LAST = 3
    PROBES = 4


class Scorers:
    """All that this process scores with, each made once: a scorer takes a second of processor time.

    Safe across threads. Tests replace it at `current` and nowhere else.
    """

    def __init__(self) -> None:
        # Three, so that a waiting sender is not held up while another thread loads the live release.
        self._making, self._looking, self._awaiting = (threading.Lock() for _ in range(3))
        self.forget()

    def forget(self) -> None:
        """Look which release is live at the next call."""
        self._live: Scorer | None = None
        self._low_latency: Scorer | None = None
        self._loading: threading.Thread | None = None
        self._refused = ""
        # Not 0: monotonic() may begin there, and the first look would come a second late.
        self._live_at = self._low_latency_at = -CHECK_SECONDS

    def live(self) -> Scorer:
        """Return the scorer of the live release.

        A live release that cannot be used here (damaged, or of features that this code does not compute) does
        not stop scoring: the one in use stays, else the one before it, else the one that ships with the code.
        Every score names its release. Raises Corrupt, SchemaMismatch or VersionMismatch if none can be used.
        """
        with self._looking:
            if self._live is None or time.monotonic() - self._live_at >= CHECK_SECONDS:
                self._live = self._looked_up(in_use=self._live)
                self._live_at = time.monotonic()
            return self._live

    def low_latency(self) -> Scorer:
        """Return the live release's scorer for an answer that somebody waits for.

        Its content model gives up after SCORE_NOW_CONTENT_MS: the post is degraded then. Loading takes time,
        so it happens beside the requests: raises Loading; after a promotion the release before it answers as
        long.
        """
        with self._awaiting:
            is_due = self._low_latency is None or time.monotonic() - self._low_latency_at >= CHECK_SECONDS
            if is_due and (self._loading is None or not self._loading.is_alive()):
                self._low_latency_at = time.monotonic()
                self._loading = threading.Thread(
                    target=self._load_low_latency, name="low-latency-scorer", daemon=True
                )
                self._loading.start()
            if self._low_latency is None:
                raise Loading("The release is being loaded.")
            return self._low_latency

    def of(self, release_id: str) -> Scorer:
        """Return the scorer of a kept release. Raises NotKept, Corrupt, SchemaMismatch or VersionMismatch."""
        return self._scorer(_For.SCORES, release_id)

    def shadow_of(self, release_id: str) -> Scorer:
        """Return a scorer whose content model answers after all others in Triton. Raises as `of` does."""
        return self._scorer(_For.LAST, release_id)

    def content_of(self, release_id: str) -> ContentModel:
        """Return a client of a kept release's content model that remembers nothing.

        Raises NotKept, Corrupt or VersionMismatch.
        """
        return _client(_For.PROBES, release_id)

    def explaining_content_of(self, release_id: str) -> ContentModel:
        """Return a client like content_of, after scoring in Triton."""
        return _client(_For.LAST, release_id)

    def _scorer(self, purpose: _For, release_id: str) -> Scorer:
        with self._making:
            return _scorer(purpose, release_id)

    def _looked_up(self, *, in_use: Scorer | None) -> Scorer:
        try:
            live, replaced = _newest()
        except DatabaseError:
            if in_use is not None:
                return in_use
            raise
        if in_use is not None and in_use.release.id == live:
            return in_use
        return self._usable(live) or in_use or self._usable(replaced) or self.of(shipped().id)

    def _usable(self, release_id: str) -> Scorer | None:
        try:
            return self.of(release_id)
        except UNUSABLE as reason:
            if self._refused != release_id:
                log.exception("release_refused", release=release_id[:12], reason=str(reason))
            self._refused = release_id
            return None

    def _load_low_latency(self) -> None:
        try:
            live = self.live().release.id
            load_client()
            self._low_latency = self._scorer(_For.WAITING, live)
        except (DatabaseError, *UNUSABLE):
            log.exception("low_latency_scorer_not_loaded")
        finally:
            connection.close()  # the thread's own


@lru_cache(maxsize=_MOST_KEPT)
def _scorer(purpose: _For, release_id: str) -> Scorer:
    return Scorer(release=kept(release_id), content=_client(purpose, release_id))


def shipped_content(*, is_awaited: bool, priority: int) -> ContentModel:
    """Return the client of the shipped content model, which is scoring's own while its weights are live."""
    purpose = _For.LAST if priority == LAST else _For.WAITING if is_awaited else _For.SCORES
    return _client(purpose, shipped().id)


def _client(purpose: _For, release_id: str) -> ContentModel:
    release = kept(release_id)
    return _named_client(purpose, served_name(release), release.content.version, release.normaliser)


@lru_cache(maxsize=_MOST_KEPT)
def _named_client(purpose: _For, model: str, version: str, normaliser: str) -> ContentModel:
    is_last, is_awaited = purpose is _For.LAST, purpose is _For.WAITING
    return ContentModel(
        url=settings.TRITON_URL,
        model=model,
        version=version,
        normaliser=normaliser,
        priority=LAST if is_last else FIRST,
        timeout_seconds=(
            settings.SCORE_NOW_CONTENT_MS / 1000 if is_awaited else settings.TRITON_TIMEOUT_SECONDS
        ),
        # A post's texts in one call: several, each with the whole limit, would take longer than is waited.
        least_batch=16 if is_awaited else 1,
        # 3 MB: explaining a case takes some 150 texts. The server keeps more, for all processes.
        remembers=0 if purpose is _For.PROBES else 4_096,
    )


_OF_THIS_PROCESS = Scorers()


def current() -> Scorers:
    """Return what this process scores with."""
    return _OF_THIS_PROCESS


def release() -> Release:
    """Return the live release. Raises as Scorers.live does."""
    return current().live().release


def content() -> ContentModel:
    """Return this process's client of the live content model; it connects at its first call."""
    return current().content_of(release().id)


@lru_cache(maxsize=4)
def kept(release_id: str) -> Release:
    """Return a release from the folder of kept releases, or the shipped one. Raises NotKept or Corrupt."""
    if release_id == shipped().id:
        return shipped()
    folder = settings.RELEASES_DIR / release_id
    if not folder.is_dir():
        raise NotKept(f"release {release_id[:12]} is not in {settings.RELEASES_DIR}")
    candidate = Release.load(folder)
    if candidate.id != release_id:
        raise Corrupt(f"{folder}: its manifest is release {candidate.id[:12]}")
    return candidate


@lru_cache(maxsize=1)
def shipped() -> Release:
    """Return the release shipped with the code, live until one is promoted. Raises Corrupt."""
    return Release.load(Path(settings.RELEASE_DIR))


def newest() -> str:
    """Return the id of the newest promotion's release, whether or not this process can use it."""
    return _newest()[0]


def served_name(one: Release) -> str:
    """Return the name of a release's content model on Triton.

    Releases with the shipped weights share its name, whatever serves it: a processor, a card, an endpoint.
    """
    own, ships = one.content, shipped().content
    return ships.model if own.files == ships.files else hosting.served_name(own)


def forget() -> None:
    """Clear all caches: the next call reads the live release again."""
    _OF_THIS_PROCESS.forget()
    for cached in (_scorer, _named_client, kept, shipped):
        cached.cache_clear()


def _newest() -> tuple[str, str]:
    """Return the ids of the live release and of the one it replaced."""
    newest = Promotion.objects.order_by("-id").values_list("release_id", "replaced_id").first()
    return newest or (shipped().id, shipped().id)
