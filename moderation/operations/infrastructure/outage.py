"""Which database errors are outages: not our bugs, and over by themselves or by an operator's action.

An outage is answered with 503 and when to come back; every other failure is ours, logged and answered with
500.
"""

import time
from dataclasses import dataclass

import psycopg
from django.db import Error, OperationalError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """Why the database cannot be used now, for display, and after how many seconds to retry."""

    name: str
    says: str | Promise
    retry_after_seconds: int

    @property
    def detail(self) -> str:
        """Return the reason in English, for the API."""
        with override("en"):
            return str(self.says)


NO_ANSWER = Outage(
    name="no_answer",
    says=_("The database is not responding. Repeating the request is safe."),
    retry_after_seconds=5,
)
NO_ROOM = Outage(
    name="no_room",
    says=_("The database is full, so nothing was saved. An operator has to free some space."),
    retry_after_seconds=30,
)
READ_ONLY = Outage(
    name="read_only",
    says=_("The database is switching over, so nothing was saved."),
    retry_after_seconds=10,
)

# psycopg classes these as errors of the program
# (https://www.postgresql.org/docs/current/errcodes-appendix.html).
_BY_STATE = {
    "53100": NO_ROOM,  # disk_full
    "58030": NO_ROOM,  # io_error
    "25006": READ_ONLY,  # read_only_sql_transaction: this server is a standby by now
    "25P03": NO_ANSWER,  # idle_in_transaction_session_timeout: this process was stopped for too long
    "57P05": NO_ANSWER,  # idle_session_timeout
}


def of(failure: BaseException | None) -> Outage | None:
    """Return the outage behind a database error, None if it is a bug."""
    if not isinstance(failure, Error):
        return None
    cause = failure.__cause__
    state = cause.sqlstate if isinstance(cause, psycopg.Error) else None
    outage = _BY_STATE.get(state or "")
    return outage or (NO_ANSWER if isinstance(failure, OperationalError) else None)


def note(found: Outage) -> None:
    """Remember that a request was refused for it: a full disk shows only in refused writes."""
    _noted[found.name] = time.monotonic()


def was_lately(asked: Outage) -> bool:
    """Tell whether this process refused a request for it within the last minute."""
    noted_at = _noted.get(asked.name)
    return noted_at is not None and time.monotonic() - noted_at < _LATELY_SECONDS


_LATELY_SECONDS = 60.0
_noted: dict[str, float] = {}
