"""The content models that Triton serves for the live release and for those on standby."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import structlog
from django.conf import settings

from moderation import scorer
from moderation.models import CanaryRun, Promotion, ShadowRun
from moderation.operations.releases import store
from scoring import hosting
from scoring.hosting import TritonAdmin
from scoring.release import Release
from scoring.triton_socket import TritonSocket

log = structlog.get_logger(__name__)

STANDBY = 2
"""Releases that stay loaded beside the live one, so that a rollback needs only one row."""


def stage(release: Release, *, repository: Path) -> None:
    """Write a release beside the live one, load its content model under its own name, and probe it.

    Raises release.Corrupt, hosting.Refused or hosting.WrongAnswers; then its content model is not loaded.
    """
    store.files(release)
    if release.id != scorer.shipped().id:
        hosting.install(release.content, repository=repository, models=settings.TRITON_MODELS_DIR)
    _load(release)


def load(release: Release) -> None:
    """Load the content model of a kept release if needed, and probe it. Raises as stage does."""
    try:
        hosting.probe(release.content, content=scorer.content_of(release.id))
    except hosting.WrongAnswers:
        _load(release)


def reload() -> list[str]:
    """Load again what Triton lost in a restart; return the names of the models."""
    wanted = _wanted()
    if not wanted:
        return []
    triton = admin()
    lost = [name for name in wanted if not triton.is_ready(name)]
    try:
        for name in lost:
            triton.load(name)
    except hosting.Refused as reason:
        # Triton is down or still starting; posts are scored without content meanwhile, and again later.
        log.warning("content_model_not_loaded", reason=str(reason))
        return []
    return lost


def tidy() -> None:
    """Record which content models Triton loads at start, and unload those no longer on standby."""
    wanted = _wanted()
    settings.TRITON_MODELS_DIR.mkdir(parents=True, exist_ok=True)
    note = settings.TRITON_MODELS_DIR.with_name("live-models")
    # Replaced in one step: a Triton that starts at this moment reads the old list or the new one.
    note.with_suffix(".new").write_text("".join(f"{name}\n" for name in wanted), encoding="utf-8")
    note.with_suffix(".new").replace(note)
    triton = admin()
    for folder in settings.TRITON_MODELS_DIR.glob("content_*"):
        if folder.name not in wanted and triton.is_ready(folder.name):
            _unload(triton, folder.name)


def admin() -> TritonAdmin:
    """Return the model-control client of the configured Triton; the local one is reached over its socket."""
    if TritonSocket(settings.TRITON_ADMIN_SOCKET, timeout_seconds=5).is_listening():
        return TritonAdmin(url=f"unix://{settings.TRITON_ADMIN_SOCKET}")
    return TritonAdmin(url=settings.TRITON_URL, key=settings.TRITON_ADMIN_KEY)


def _load(release: Release) -> None:
    """Load an installed content model and probe it; the shipped one is always loaded.

    Raises hosting.Refused or hosting.WrongAnswers; then it is unloaded, unless a release on standby needs it.
    """
    name = scorer.served_name(scorer.kept(release.id))
    triton = admin()
    try:
        if release.id != scorer.shipped().id:
            _load_installed(triton, name)
        hosting.probe(release.content, content=scorer.content_of(release.id))
    except (hosting.Refused, hosting.WrongAnswers):
        if release.id != scorer.shipped().id and name not in _wanted():
            _unload(triton, name)
        raise


def _load_installed(triton: TritonAdmin, name: str) -> None:
    """Load a model. Raises hosting.Refused, which says where Triton should have found it, if it did not."""
    try:
        triton.load(name)
    except hosting.Refused as refusal:
        if "failed to poll" not in str(refusal):
            raise
        raise hosting.Refused(
            f"{refusal}: it was installed in {settings.TRITON_MODELS_DIR} (SPAMDESK_TRITON_MODELS_DIR), which"
            f" must be a model repository of the Triton at {settings.TRITON_URL}"
        ) from refusal


def _wanted() -> list[str]:
    """Return the content models of the live release, of those on standby and of a candidate in shadow, the
    live one first.
    """
    # More rows than releases are wanted: going forth and back names the same ones again.
    newest = Promotion.objects.order_by("-id").values_list("release_id", "replaced_id")[: 4 * (STANDBY + 1)]
    ids = list(dict.fromkeys(one for pair in newest for one in pair))[: STANDBY + 1]
    for candidates in (ShadowRun.objects, CanaryRun.objects.filter(started_at__isnull=False)):
        ids += candidates.filter(stopped_at__isnull=True).values_list("candidate", flat=True)
    names: dict[str, None] = {}
    for release_id in ids:
        with suppress(*scorer.UNUSABLE):  # no rollback to it is possible, so it needs no model
            if release_id != scorer.shipped().id:
                names[scorer.served_name(scorer.kept(release_id))] = None
    return list(names)


def _unload(triton: TritonAdmin, name: str) -> None:
    """Unload a model, also if it is not loaded."""
    try:
        triton.unload(name)
    except hosting.Refused as reason:
        log.warning("content_model_not_unloaded", model=name, reason=str(reason))
