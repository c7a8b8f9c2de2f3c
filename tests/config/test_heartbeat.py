"""A process at rest keeps no connection, and says all the same that it works."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper

from config import database, heartbeat
from moderation.models import Heartbeat


@pytest.mark.django_db(transaction=True)
def test_is_sent_seldom_and_beside_the_pool_until_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    now, opened, connected_as = [0.0], [], database.connected_as

    def opens(pool: Any) -> database.Connection:
        opened.append(now[0])
        return connected_as(pool)

    def sleep(seconds: float) -> None:
        now[0] += seconds
        if now[0] > 90:
            raise SystemExit
        if now[0] > 60:
            assert Heartbeat.objects.filter(sender="web").exists()
            connection.close()

    monkeypatch.setattr(heartbeat, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    monkeypatch.setattr(database, "connected_as", opens)
    connection.close()
    cast("DatabaseWrapper", connection).close_pool()

    with pytest.raises(SystemExit):
        heartbeat._go_on(["web"], lambda: True)

    assert opened == [0, 25, 50]
    pool: Any = cast("DatabaseWrapper", connection).pool
    assert pool.get_stats()["requests_num"] == 2 * 6, "each use of the process, and a heartbeat after it"
