"""The month of the demonstration as a file: the rows of a database that lived it, and what they name.

When it is loaded, every instant in it is moved by the same number of hours, so that it ends now.
"""

import json
import re
import tarfile
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from psycopg import sql

from moderation.models import Evidence, Post
from moderation.operations.infrastructure import kept_files

END = datetime(2026, 3, 31, tzinfo=UTC)
"""Of the month as it is lived and kept: `simulation.month` and what it imports are not loaded at a start."""
PLACE = Path(__file__).with_name("month.tar.xz")
_ABOUT, _TABLES, _PICTURES, _RELEASES, _SIMULATION = (
    "about.json",
    "tables",
    "pictures",
    "releases",
    "simulation",
)
_LEFT_OUT = {
    # Secrets of one installation, what lasts for seconds, and what its triggers and sweeps write anew.
    *("apikey", "auditlink", "delivery", "deliveryattempt", "evidencerequest", "feedentry", "feedhead"),
    *("heartbeat", "notification", "presence", "reviewpage", "storedanswer", "sweeprun", "usersession"),
}
_INSTANT = re.compile(rb"\b(20\d\d-\d\d-\d\d)([ T])(\d\d):(\d\d)(?=:\d\d)")


class Unusable(Exception):
    """The file is of another state of the code."""


def write(path: Path, *, simulation: Path) -> None:
    """Keep the rows of the database, their pictures and releases, and the files of the simulation.

    The file is replaced once the new one is whole.
    """
    unfinished = path.with_name(f".{path.name}")
    with tarfile.open(unfinished, "w:xz", preset=9) as tar:
        _add(tar, _ABOUT, json.dumps({"migration": _migration()}).encode())
        for table in _tables():
            if rows := _rows(table):
                _add(tar, f"{_TABLES}/{table}", rows)
        for folder, name in ((Path(settings.RELEASES_DIR), _RELEASES), (simulation, _SIMULATION)):
            for file in sorted(folder.rglob("*")):
                if file.is_file():
                    _add(tar, f"{name}/{file.relative_to(folder)}", file.read_bytes())
        pictures = Evidence.objects.exclude(thumbnail="").order_by("thumbnail")
        for digest in pictures.values_list("thumbnail", flat=True).distinct():
            if data := kept_files.read(digest):
                _add(tar, f"{_PICTURES}/{digest}", data)
    unfinished.replace(path)


def load(path: Path, *, at: datetime) -> int:
    """Fill a database that has no posts, and the state folder; return how many posts. Raises Unusable."""
    later_by = at.replace(minute=0, second=0, microsecond=0) - END
    with tarfile.open(path, "r:xz") as tar, transaction.atomic():
        for member in tar:
            file = tar.extractfile(member)
            data = file.read() if file else b""
            folder, _, name = member.name.partition("/")
            if member.name == _ABOUT:
                _check(json.loads(data))
                _make_room()
            elif folder == _TABLES:
                _fill(name, _moved(data, by=later_by))
            elif folder == _PICTURES:
                kept_files.keep(data)
            elif folder == _RELEASES:
                _place(Path(settings.RELEASES_DIR) / name, data)
            else:
                _place(Path(settings.STATE_DIR) / member.name, _moved(data, by=later_by))
        _number_on()
    return Post.objects.count()


def _migration() -> str:
    names = MigrationRecorder(connection).applied_migrations()
    return max(name for app, name in names if app == "moderation")


def _check(about: dict[str, str]) -> None:
    if about["migration"] != _migration():
        raise Unusable(
            f"It was written with migration {about['migration']}; the database has {_migration()}."
        )


def _tables() -> list[str]:
    """Return the names of the kept tables: posts first, where the feeds' triggers look."""
    names = connection.introspection.django_table_names(only_existing=True)
    app = apps.get_app_config("moderation").label
    kept = (
        name for name in names if name.startswith(f"{app}_") and name.removeprefix(f"{app}_") not in _LEFT_OUT
    )
    return sorted(kept, key=lambda name: (name != f"{app}_post", name))


def _columns(table: str) -> sql.Composable:
    """Return the columns that can be written, in their order; generated ones cannot."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name FROM information_schema.columns"
            " WHERE table_name = %s AND is_generated = 'NEVER' ORDER BY ordinal_position",
            [table],
        )
        return sql.SQL(", ").join(sql.Identifier(name) for (name,) in cursor)


def _rows(table: str) -> bytes:
    query = sql.SQL("COPY (SELECT {} FROM {} ORDER BY 1) TO STDOUT").format(
        _columns(table), sql.Identifier(table)
    )
    with connection.cursor() as cursor, cursor.copy(query) as copy:
        return b"".join(bytes(block) for block in copy)


def _fill(table: str, rows: bytes) -> None:
    query = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), _columns(table))
    with connection.cursor() as cursor, cursor.copy(query) as copy:
        copy.write(rows)


def _make_room() -> None:
    """Delete what a database has that was only prepared: the month brings its own of it."""
    tables = sql.SQL(", ").join(map(sql.Identifier, _tables()))
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("TRUNCATE {} CASCADE").format(tables))


def _number_on() -> None:
    """Let new rows have numbers after those of the file."""
    models = list(apps.get_app_config("moderation").get_models(include_auto_created=True))
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


def _moved(data: bytes, *, by: timedelta) -> bytes:
    def later(match: re.Match[bytes]) -> bytes:
        day, between, hour, minute = (part.decode() for part in match.groups())
        instant = datetime.fromisoformat(f"{day}T{hour}:{minute}") + by
        return f"{instant:%Y-%m-%d}{between}{instant:%H:%M}".encode()

    return _INSTANT.sub(later, data)


def _place(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    tar.addfile(member, BytesIO(data))
