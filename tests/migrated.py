"""One migrated database for all of xdist's workers: the first migrates its own, the others copy that.

The migrations take ten seconds of a processor, a copy takes less than one.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

_COPIED = "migrated"


@contextmanager
def once(blocker: DjangoDbBlocker) -> Iterator[None]:
    """Have the database that is made in this block be a copy, if another worker has made one before."""
    cluster = Path(os.environ["SPAMDESK_STATE_DIR"]) / "postgres"
    # A server that somebody else runs keeps no database of ours beyond the run; one process needs no copy.
    if "PYTEST_XDIST_WORKER" not in os.environ or not cluster.exists():
        yield
        return
    with (cluster.parent / "migrated.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        is_made = bool(lock.read())
        if is_made:
            # Each copies in its turn: PostgreSQL refuses to copy a database that another session is in.
            connection.settings_dict["TEST"]["TEMPLATE"] = _COPIED
        yield
        if not is_made:
            with blocker.unblock():
                _copy(str(connection.settings_dict["NAME"]))
            lock.write("made")


def _copy(name: str) -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # of PostgreSQL's own
    with connection._nodb_cursor() as cursor:  # what Django creates databases with
        cursor.execute(f"CREATE DATABASE {_COPIED} TEMPLATE {connection.ops.quote_name(name)}")
