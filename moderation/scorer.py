"""Composition root: the live release's Scorer in this process, and those of other kept releases.

The newest Promotion row names the live release. Every process reads it about once a second, so that a
promotion reaches web and workers without a restart; a batch in progress is finished with its own release.
"""

from __future__ import annotations

import threading
import time
from functools import lru_cache
from pathlib import Path
from typing import Protocol

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


class NotKept(Exception):
    """A release whose files are not here: it scored on another installation, or its folder was removed."""


class Loading(Exception):
    """The release is still being loaded, which takes longer than a waiting sender's budget."""


UNUSABLE = (NotKept, Corrupt, SchemaMismatch, VersionMismatch)
"""Permanent errors of a release that cannot score here; a retry does not help."""


class Scorers(Protocol):
    """All that this process scores with; tests replace it at `current` and nowhere else."""

    def live(self) -> Scorer: ...
    def low_latency(self, release_id: str = "") -> Scorer: ...
    def of(self, release_id: str) -> Scorer: ...
    def content_of(self, release_id: str) -> ContentModel: ...
    def explaining_content_of(self, release_id: str) -> ContentModel: ...
    def shadow_of(self, release_id: str) -> Scorer: ...


def current() -> Scorers:
    """Return what this process scores with."""
    return _CURRENT


def get() -> Scorer:
    """Return the scorer of the live release.

    A live release that cannot be used here (damaged, or of features that this code does not compute) does not
    stop scoring: the one in use stays, else the one before it, else the one that ships with the code. Every
    score names its release. Raises Corrupt, SchemaMismatch or VersionMismatch if none can be used.
    """
    return current().live()


def release() -> Release:
    return get().release


def low_latency(release_id: str = "") -> Scorer:
    """Return the live release's scorer, or a canary's candidate's, for an answer that somebody waits for.

    Its content model gives up after SCORE_NOW_CONTENT_MS: the post is degraded then. Loading takes time, so
    it happens beside the requests: raises Loading; after a promotion the release before it answers as long.
    """
    return current().low_latency(release_id)


def content() -> ContentModel:
    """Return this process's client of the live content model; it connects at its first call."""
    return content_of(release().id)


def of(release_id: str) -> Scorer:
    """Return the scorer of a kept release. Raises NotKept, Corrupt, SchemaMismatch or VersionMismatch."""
    return current().of(release_id)


def content_of(release_id: str) -> ContentModel:
    """Return the client of a kept release's content model. Raises NotKept, Corrupt or VersionMismatch."""
    return current().content_of(release_id)


def explaining_content_of(release_id: str) -> ContentModel:
    """Return a client like content_of, after scoring in Triton, that remembers answers."""
    return current().explaining_content_of(release_id)


def shadow_of(release_id: str) -> Scorer:
    """Return a scorer whose content model answers after all others in Triton. Raises as `of` does."""
    return current().shadow_of(release_id)


@lru_cache(maxsize=4)
def _of(release_id: str) -> Scorer:
    return Scorer(release=kept(release_id), content=_content_of(release_id))


@lru_cache(maxsize=1)
def _shadow_of(release_id: str) -> Scorer:
    return Scorer(release=kept(release_id), content=_explaining_content_of(release_id))


@lru_cache(maxsize=2)
def _low_latency_of(release_id: str) -> Scorer:
    one = kept(release_id)
    # A post's texts in one call: several, each with the whole limit, would take longer than is waited.
    content = _client(one, timeout_seconds=settings.SCORE_NOW_CONTENT_MS / 1000, least=16)
    load_client()
    return Scorer(release=one, content=content)


@lru_cache(maxsize=4)
def _content_of(release_id: str) -> ContentModel:
    return _client(kept(release_id), timeout_seconds=settings.TRITON_TIMEOUT_SECONDS)


@lru_cache(maxsize=4)
def _explaining_content_of(release_id: str) -> ContentModel:
    return _client(kept(release_id), timeout_seconds=settings.TRITON_TIMEOUT_SECONDS, priority=LAST)


def _client(one: Release, *, timeout_seconds: float, priority: int = FIRST, least: int = 1) -> ContentModel:
    return ContentModel(
        url=settings.TRITON_URL,
        model=served_name(one),
        version=one.content.version,
        normaliser=one.normaliser,
        priority=priority,
        timeout_seconds=timeout_seconds,
        least_batch=least,
        remembers=16_384 if priority == LAST else 0,  # 5 MB; explaining a case takes some 150 texts
    )


@lru_cache(maxsize=4)
def kept(release_id: str) -> Release:
    """Return a release from the folder of kept releases, or the shipped one. Raises NotKept or Corrupt."""
    if release_id == shipped().id:
        return shipped()
    folder = settings.RELEASES_DIR / release_id
    if not folder.is_dir():
        raise NotKept(f"release {release_id[:12]} is not in {settings.RELEASES_DIR}")
    found = Release.load(folder)
    if found.id != release_id:
        raise Corrupt(f"{folder}: its manifest is release {found.id[:12]}")
    return found


@lru_cache(maxsize=1)
def shipped() -> Release:
    """Return the release shipped with the code, live until one is promoted. Raises Corrupt."""
    return Release.load(Path(settings.RELEASE_DIR))


def newest() -> str:
    """Return the id of the newest promotion's release, whether or not this process can use it."""
    return _newest()[0]


def served_name(one: Release) -> str:
    """Return the name of a release's content model on Triton: the shipped one has its own name."""
    return one.content.model if one.folder == Path(settings.RELEASE_DIR) else hosting.served_name(one.content)


def forget() -> None:
    """Clear all caches: the next call reads the live release again."""
    _LIVE.forget()
    _LOW_LATENCY.forget()
    _CANDIDATE.forget()
    for cached in (_of, _content_of, _explaining_content_of, _low_latency_of, _shadow_of, kept, shipped):
        cached.cache_clear()


class _Live:
    """The live release's scorer, looked up again after CHECK_SECONDS; safe across threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        self._scorer: Scorer | None = None
        self._refused = ""
        # Not 0: monotonic() may begin there, and the first look would come a second late.
        self._checked_at = -CHECK_SECONDS

    def scorer(self) -> Scorer:
        with self._lock:
            if self._scorer is None or time.monotonic() - self._checked_at >= CHECK_SECONDS:
                self._scorer = self._looked_up()
                self._checked_at = time.monotonic()
            return self._scorer

    def _looked_up(self) -> Scorer:
        try:
            live, replaced = _newest()
        except DatabaseError:
            if self._scorer is not None:
                return self._scorer
            raise
        if self._scorer is not None and self._scorer.release.id == live:
            return self._scorer
        return self._usable(live) or self._scorer or self._usable(replaced) or _CURRENT.of(shipped().id)

    def _usable(self, release_id: str) -> Scorer | None:
        try:
            return _CURRENT.of(release_id)
        except UNUSABLE as reason:
            if self._refused != release_id:
                log.exception("release_refused", release=release_id[:12], reason=str(reason))
            self._refused = release_id
            return None


class _LowLatency:
    """A scorer for those who wait, loaded in a thread of its own; safe across threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        self._scorer: Scorer | None = None
        self._loading: threading.Thread | None = None
        self._checked_at = -CHECK_SECONDS

    def scorer(self, release_id: str = "") -> Scorer:
        with self._lock:
            is_there = self._scorer is not None and release_id in ("", self._scorer.release.id)
            is_due = not is_there or (not release_id and time.monotonic() - self._checked_at >= CHECK_SECONDS)
            if is_due and (self._loading is None or not self._loading.is_alive()):
                self._checked_at = time.monotonic()
                self._loading = threading.Thread(
                    target=self._load, args=(release_id,), name="low-latency-scorer", daemon=True
                )
                self._loading.start()
            if self._scorer is None or not is_there:
                raise Loading("The release is being loaded.")
            return self._scorer

    def _load(self, release_id: str) -> None:
        try:
            self._scorer = _low_latency_of(release_id or release().id)
        except (DatabaseError, *UNUSABLE):
            log.exception("low_latency_scorer_not_loaded")
        finally:
            connection.close()  # the thread's own


def _newest() -> tuple[str, str]:
    """Return the ids of the live release and of the one it replaced."""
    newest = Promotion.objects.order_by("-id").values_list("release_id", "replaced_id").first()
    return newest or (shipped().id, shipped().id)


_LIVE = _Live()
_LOW_LATENCY, _CANDIDATE = _LowLatency(), _LowLatency()


class _OfThisProcess:
    """The releases that are kept here, each loaded once: a scorer takes a second of processor time."""

    _making = threading.Lock()

    def live(self) -> Scorer:
        return _LIVE.scorer()

    def low_latency(self, release_id: str = "") -> Scorer:
        return (_CANDIDATE if release_id else _LOW_LATENCY).scorer(release_id)

    def of(self, release_id: str) -> Scorer:
        with self._making:
            return _of(release_id)

    def content_of(self, release_id: str) -> ContentModel:
        return _content_of(release_id)

    def explaining_content_of(self, release_id: str) -> ContentModel:
        return _explaining_content_of(release_id)

    def shadow_of(self, release_id: str) -> Scorer:
        with self._making:
            return _shadow_of(release_id)


_CURRENT = _OfThisProcess()
