"""Files of exports: their names, and the deletion of stray ones that belong to no export."""

import re
from collections.abc import Sequence
from pathlib import Path

import structlog
from django.conf import settings

from moderation.models import Export
from moderation.models.exports import ExportFormat, ExportState

log = structlog.get_logger(__name__)

PARTIAL, MANIFEST = ".partial", ".manifest.json"
_NAMED = (ExportState.BUILDING, ExportState.READY)
_OURS = re.compile(
    rf"(?P<file>labels-\d+(-\d+)?\.({'|'.join(ExportFormat.values)}))({re.escape(PARTIAL)}|{re.escape(MANIFEST)})?"
)


def name_of(export: Export) -> str:
    """Return the name of the file of the present attempt: no two attempts ever write to one file."""
    return f"labels-{export.pk}-{export.attempts}.{export.format}"


def path_of(export: Export) -> Path:
    """Return the path of an export's file."""
    return _folder() / export.file_name


def delete(names: Sequence[str]) -> None:
    """Delete files with their manifests, including unfinished ones. Raises OSError."""
    for name in filter(None, names) if _folder().is_dir() else ():
        for ending in ("", PARTIAL, MANIFEST):
            (_folder() / f"{name}{ending}").unlink(missing_ok=True)


def delete_strays() -> None:
    """Delete files that belong to no export, left by killed processes.

    The folder is read before the rows: a row names its file before the file is created, so a new file is
    never taken for a stray one. Raises OSError.
    """
    files = _ours()
    if not files:
        return
    live = set(Export.objects.filter(state__in=_NAMED).values_list("file_name", flat=True))
    for path, name in files.items():
        if name not in live:
            path.unlink(missing_ok=True)
            log.warning("export_file_removed", file=name, reason="no export names it")


def _ours() -> dict[Path, str]:
    """Return the files in the folder that match our naming, with the name of the export's file."""
    if not _folder().is_dir():
        return {}
    pairs = ((path, _OURS.fullmatch(path.name)) for path in _folder().iterdir())
    return {path: match["file"] for path, match in pairs if match}


def _folder() -> Path:
    return Path(settings.EXPORT_DIR)
