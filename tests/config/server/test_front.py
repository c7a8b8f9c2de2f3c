"""The ASGI application with an application of the test's own behind it: no request waits in a thread."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.config.server.asgi import Client, echo, run, serving


class Busy:
    """An application that answers when it is let go on."""

    def __init__(self) -> None:
        self.go_on, self.begun, self.count = threading.Event(), threading.Event(), 0

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        self.count += 1
        self.begun.set()
        assert self.go_on.wait(30)
        return echo(environ, start_response)


async def soon(holds: Callable[[], bool]) -> None:
    """Wait until it holds."""
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - of threads, too
            await asyncio.sleep(0.01)


class TestBody:
    def test_is_gathered_before_django_sees_it(self) -> None:
        async def main() -> None:
            async with serving() as front:
                client = Client(front, parts=[b"a", b"bc"])

                assert await client.run() == 200
                assert client.body == b"abc"
                assert client.headers["content-length"] == "3"

        run(main())

    def test_that_does_not_come_is_408_and_takes_no_thread(self) -> None:
        async def main() -> None:
            busy = Busy()
            async with serving(busy) as front:
                client = Client(front, path="/api/v1/posts", parts=[b"a"], length=100)

                assert await client.run() == 408
                assert json.loads(client.body)["type"] == "/problems/body_too_slow"
                assert busy.count == 0

        run(main())

    @pytest.mark.parametrize(
        ("limits", "length", "status"),
        [
            ({"body_bytes": 3}, 4, 413),
            ({"held_bytes": 3}, 4, 503),
            ({"held_bytes_per_address": 3}, 4, 503),
            ({"body_bytes": 4}, 4, 200),
        ],
    )
    def test_is_bounded(self, limits: dict[str, Any], length: int, status: int) -> None:
        async def main() -> None:
            async with serving(**limits) as front:
                assert await Client(front, parts=[b"a" * length]).run() == status
                assert await Client(front, parts=[b"abc"]).run() == 200  # nothing is held any more

        run(main())

    def test_of_a_client_that_hangs_up_is_forgotten(self) -> None:
        async def main() -> None:
            async with serving(held_bytes=100) as front:
                client = Client(front, parts=[b"a" * 90], length=95)
                client.hung_up.set()

                assert await client.run() == 0
                assert await Client(front, parts=[b"a" * 90]).run() == 200

        run(main())


class TestQueue:
    def test_refuses_with_a_time_to_come_back(self) -> None:
        async def main() -> None:
            busy = Busy()
            async with serving(busy) as front:
                clients = [Client(front, path="/api/v1/posts", parts=[b"a"]) for _ in range(4)]
                tasks = [asyncio.ensure_future(clients[0].run())]
                await soon(busy.begun.is_set)
                tasks += [asyncio.ensure_future(client.run()) for client in clients[1:]]
                await soon(lambda: bool(clients[3].got))

                assert await tasks[3] == 503
                assert clients[3].headers["retry-after"] == "5"
                assert json.loads(clients[3].body)["type"] == "/problems/unavailable"
                busy.go_on.set()
                assert [await task for task in tasks[:3]] == [200] * 3

        run(main())

    def test_makes_room_for_another_client(self) -> None:
        async def main() -> None:
            busy = Busy()
            async with serving(busy) as front:
                tasks = [asyncio.ensure_future(Client(front, parts=[b"a"]).run())]
                await soon(busy.begun.is_set)
                tasks += [asyncio.ensure_future(Client(front, parts=[b"a"]).run()) for _ in range(2)]
                await asyncio.sleep(0)
                other = asyncio.ensure_future(Client(front, parts=[b"b"], address="10.0.0.2").run())

                assert await tasks[2] == 503
                busy.go_on.set()
                assert await other == 200

        run(main())

    def test_forgets_who_hung_up_while_waiting(self) -> None:
        async def main() -> None:
            busy = Busy()
            async with serving(busy) as front:
                first = asyncio.ensure_future(Client(front, parts=[b"a"]).run())
                await soon(busy.begun.is_set)
                client = Client(front, parts=[b"b", b""], length=1)
                client.hung_up.set()

                assert await client.run() == 0  # found out within seconds
                busy.go_on.set()
                assert await first == 200
                assert busy.count == 1

        run(main())

    def test_does_not_keep_anybody_waiting_for_ever(self) -> None:
        async def main() -> None:
            busy = Busy()
            async with serving(busy, waiting_seconds=1.0) as front:
                first = asyncio.ensure_future(Client(front, parts=[b"a"]).run())
                await soon(busy.begun.is_set)

                assert await Client(front, parts=[b"b"]).run() == 503
                busy.go_on.set()
                assert await first == 200

        run(main())


class TestHealth:
    def test_is_answered_while_every_thread_is_busy(self) -> None:
        async def main() -> None:
            busy = Busy()
            async with serving(busy) as front:
                first = asyncio.ensure_future(Client(front, parts=[b"a"]).run())
                await soon(busy.begun.is_set)

                assert await Client(front, path="/healthz", method="GET").run() == 200
                busy.go_on.set()
                assert await first == 200

        run(main())

    def test_fails_once_nothing_is_finished_for_long(self) -> None:
        async def main() -> None:
            busy = Busy()
            async with serving(busy, stalled_beats=1) as front:
                first = asyncio.ensure_future(Client(front, parts=[b"a"]).run())
                await soon(busy.begun.is_set)
                statuses = [0]
                while statuses[-1] != 503 and len(statuses) < 1_000:
                    statuses.append(await Client(front, path="/healthz", method="GET").run())
                    await asyncio.sleep(0.01)

                assert statuses[-1] == 503
                busy.go_on.set()
                assert await first == 200

        run(main())
