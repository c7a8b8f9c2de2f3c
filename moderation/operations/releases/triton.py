"""The content models that Triton serves for the live release and for those on standby."""

from contextlib import suppress
from pathlib import Path

import structlog
from django.conf import settings

from moderation import scorer
from moderation.models import Promotion, ShadowRun
from moderation.operations.releases import store
from scoring import hosting
from scoring.content import Unavailable
from scoring.hosting import TritonAdmin
from scoring.release import Release
from scoring.triton_socket import TritonSocket

log = structlog.get_logger(__name__)

_NOT_THERE = "failed to poll"
"""What Triton says of a model that is in none of its repositories."""

STANDBY = 2
"""Releases that stay loaded beside the live one, so that a rollback needs only one row."""


def stage(release: Release, *, repository: Path) -> None:
    """Write a release beside the live one, load its models under their own names, and probe them.

    The shipped content model serves all releases with its weights. It is installed for them all the same, for
    the day when the code ships another. Other weights are taken only in the variant that serves the shipped
    ones. Models may have been installed before, by training; then the repository need not hold them. Raises
    release.Corrupt, hosting.Refused or hosting.WrongAnswers; then its models are not loaded.
    """
    store.files(release)
    models = settings.TRITON_MODELS_DIR
    if release.id != scorer.shipped().id:
        variant = _variant() if _own_content(release) else ""
        hosting.install(release.content, repository=repository, models=models, variant=variant)
    _load(release)


def load(release: Release) -> None:
    """Load the content model of a kept release if needed, and probe it. Raises as stage does."""
    try:
        hosting.probe(release.content, content=scorer.current().content_of(release.id))
    except hosting.WrongAnswers:
        _load(release)


def reload() -> list[str]:
    """Load what Triton lost in a restart; return the names of the models."""
    wanted = _wanted()
    if not wanted:
        return []
    triton = admin()
    loaded = []
    for name in (name for name in wanted if not triton.is_ready(name)):
        try:
            triton.load(name)
            loaded.append(name)
        except hosting.Refused as reason:
            # Posts are scored without content meanwhile, and again later.
            log.warning("model_not_loaded", model=name, reason=str(reason))
            if _NOT_THERE not in str(reason):
                break  # Triton is down or still starting, and each attempt may wait as long as it may
    return loaded


def tidy() -> None:
    """Record which models Triton loads at start, and unload those no longer on standby."""
    wanted = _wanted()
    settings.TRITON_MODELS_DIR.mkdir(parents=True, exist_ok=True)
    note = settings.TRITON_MODELS_DIR.with_name("live-models")
    # Replaced in one step: a Triton that starts at this moment reads the old list or the new one.
    note.with_suffix(".new").write_text("".join(f"{name}\n" for name in wanted), encoding="utf-8")
    note.with_suffix(".new").replace(note)
    triton = admin()
    for folder in sorted(settings.TRITON_MODELS_DIR.glob("content_*")):
        if folder.name not in wanted and triton.is_ready(folder.name):
            _unload(triton, folder.name)


def admin() -> TritonAdmin:
    """Return the model-control client of the configured Triton; the local one is reached over its socket."""
    if TritonSocket(settings.TRITON_ADMIN_SOCKET, timeout_seconds=5).is_listening():
        return TritonAdmin(url=f"unix://{settings.TRITON_ADMIN_SOCKET}")
    return TritonAdmin(url=settings.TRITON_URL, key=settings.TRITON_ADMIN_KEY)


def _variant() -> str:
    """Return the variant in which Triton serves the shipped content model. Raises hosting.Refused."""
    try:
        return hosting.VARIANTS.get(scorer.current().content_of(scorer.shipped().id).served_by(), "")
    except Unavailable as away:
        raise hosting.Refused(f"Triton does not say what it serves: {away}") from away


def _load(release: Release) -> None:
    """Load an installed content model and probe it; the shipped one is always loaded.

    Raises hosting.Refused or hosting.WrongAnswers; then it is unloaded, unless a release on standby needs it.
    """
    name = _own_content(release)
    triton = admin()
    try:
        if name:
            hosting.check_installed(release.content, models=settings.TRITON_MODELS_DIR, variant=_variant())
            _load_installed(triton, name)
        hosting.probe(release.content, content=scorer.current().content_of(release.id))
    except (hosting.Refused, hosting.WrongAnswers):
        if name and name not in _wanted():
            _unload(triton, name)
        raise


def _load_installed(triton: TritonAdmin, name: str) -> None:
    """Load a model. Raises hosting.Refused, which says where Triton should have found it, if it did not."""
    try:
        triton.load(name)
    except hosting.Refused as refusal:
        if _NOT_THERE not in str(refusal):
            raise
        raise hosting.Refused(
            f"{refusal}: it was installed in {settings.TRITON_MODELS_DIR} (SPAMDESK_TRITON_MODELS_DIR), which"
            f" must be a model repository of the Triton at {settings.TRITON_URL}"
        ) from refusal


def _wanted() -> list[str]:
    """Return the models of the live release, of those on standby and of a candidate in shadow, the live ones
    first. Triton always has the shipped content model, under its own name.
    """
    # More rows than releases are wanted: going forth and back names the same ones again.
    newest = Promotion.objects.order_by("-id").values_list("release_id", "replaced_id")[: 4 * (STANDBY + 1)]
    ids = list(dict.fromkeys(one for pair in newest for one in pair))[: STANDBY + 1] or [scorer.shipped().id]
    ids += ShadowRun.objects.filter(stopped_at__isnull=True).values_list("candidate", flat=True)
    names: dict[str | None, None] = {}
    for release_id in ids:
        with suppress(*scorer.UNUSABLE):  # no rollback to it is possible, so it needs no model
            names[_own_content(scorer.kept(release_id))] = None
    return [name for name in names if name]


def _own_content(release: Release) -> str | None:
    """Return the name under which a release's content model is loaded, None for the shipped one."""
    name = scorer.served_name(release)
    return None if name == scorer.shipped().content.model else name


def _unload(triton: TritonAdmin, name: str) -> None:
    """Unload a model, also if it is not loaded."""
    try:
        triton.unload(name)
    except hosting.Refused as reason:
        log.warning("content_model_not_unloaded", model=name, reason=str(reason))
