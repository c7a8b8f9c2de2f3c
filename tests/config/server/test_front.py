"""The ASGI application with an application of the test's own behind it: no request waits in a thread."""

from __future__ import annotations

import asyncio
import json
import tempfile
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from config.server.front import Front
from config.server.limits import Limits

QUICK = {"threads": 1, "waiting": 2, "body_seconds": 0.2, "piece_seconds": 0.2}
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def run(life: Coroutine[Any, Any, None]) -> None:
    """Run it on an event loop of its own; this thread may have one, which a test in the browser left."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, life).result()


def echo(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """Answer with the body."""
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [environ["wsgi.input"].read()]


@asynccontextmanager
async def serving(application: Wsgi = echo, **limits: Any) -> AsyncIterator[Front]:
    """Run the life of a process around the block."""
    front = Front(application, limits=Limits(**(QUICK | limits)))
    said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    started = asyncio.Event()

    async def note(message: dict[str, Any]) -> None:
        started.set()

    life = asyncio.ensure_future(front({"type": "lifespan"}, said.get, note))
    await said.put({"type": "lifespan.startup"})
    await started.wait()
    yield front
    await said.put({"type": "lifespan.shutdown"})
    await life


class Client:
    """One request: what it sends when it is asked for, and what it gets."""

    def __init__(
        self,
        front: Front,
        *,
        path: str = "/",
        method: str = "POST",
        parts: Iterable[bytes] = (),
        length: int | None = None,
        address: str = "10.0.0.1",
        send: Callable[[dict[str, Any]], Awaitable[None]] | None = None,
    ) -> None:
        self._front, self._send = front, send
        self._parts = list(parts)
        size = sum(map(len, self._parts)) if length is None else length
        self.scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "http_version": "1.1",
            "scheme": "http",
            "client": (address, 1),
            "server": ("127.0.0.1", 80),
            "headers": [(b"content-length", str(size).encode())],
        }
        self.hung_up = asyncio.Event()
        self.got: list[dict[str, Any]] = []

    async def run(self) -> int:
        """Return the status, 0 for none."""
        await self._front(self.scope, self._receive, self._take)
        return int(self.got[0]["status"]) if self.got else 0

    @property
    def body(self) -> bytes:
        """Return the body of the answer."""
        return b"".join(message.get("body", b"") for message in self.got)

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers of the answer."""
        return {name.decode(): value.decode() for name, value in self.got[0]["headers"]}

    async def _receive(self) -> dict[str, Any]:
        if self._parts:
            return {"type": "http.request", "body": self._parts.pop(0), "more_body": True}
        await self.hung_up.wait()
        return {"type": "http.disconnect"}

    async def _take(self, message: dict[str, Any]) -> None:
        if self._send is not None:
            await self._send(message)
        self.got.append(message)


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
    def test_is_bounded(self, limits: dict[str, int], length: int, status: int) -> None:
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


class TestAnswer:
    def test_that_fails_is_500(self) -> None:
        def broken(_environ: dict[str, Any], _start: Callable[..., Any]) -> list[bytes]:
            raise ValueError

        async def main() -> None:
            async with serving(broken) as front:
                assert await Client(front, path="/api/v1/posts").run() == 500
                assert await Client(front, path="/api/v1/posts").run() == 500  # the thread lives on

        run(main())

    @pytest.mark.parametrize("size", [10, 1_000_000])
    def test_of_a_file_is_sent_whole_and_closed(self, size: int, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.write_bytes(b"x" * size)
        files = []

        def send_file(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
            start_response("200 OK", [("Content-Length", str(size))])
            files.append(path.open("rb"))
            return environ["wsgi.file_wrapper"](files[0], 4096)

        async def main() -> None:
            async with serving(send_file) as front:
                client = Client(front, method="GET")

                assert await client.run() == 200
                assert client.body == b"x" * size
                assert files[0].closed

        run(main())

    @pytest.mark.parametrize("parts", [3, 300])
    def test_that_is_made_piece_by_piece_is_sent_whole(self, parts: int) -> None:
        class Stream(list[bytes]):
            streaming = True

        def stream(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Stream:
            start_response("200 OK", [])
            return Stream([b"x" * 4_096] * parts)

        async def main() -> None:
            async with serving(stream) as front:
                client = Client(front, method="GET")

                assert await client.run() == 200
                assert client.body == b"x" * 4_096 * parts
                assert client.headers["content-length"] == str(4_096 * parts)

        run(main())

    def test_to_head_has_the_length_and_no_body(self) -> None:
        def sized(_environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
            start_response("200 OK", [("Content-Length", "5")])
            return [b"abcde"]

        async def main() -> None:
            async with serving(sized) as front:
                client = Client(front, method="HEAD")

                assert await client.run() == 200
                assert (client.body, client.headers["content-length"]) == (b"", "5")

        run(main())

    def test_that_nobody_reads_is_cut_off_and_its_file_closed(self) -> None:
        files = []

        def send_file(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
            start_response("200 OK", [("Content-Length", "1000000")])
            files.append(tempfile.TemporaryFile())  # noqa: SIM115 - closed by the server
            files[0].write(b"x" * 1_000_000)
            files[0].seek(0)
            return environ["wsgi.file_wrapper"](files[0], 4096)

        async def never(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.body":
                await asyncio.Event().wait()

        async def main() -> None:
            async with serving(send_file) as front:
                client = Client(front, method="GET", send=never)

                await client.run()
                assert client.got[-1]["type"] == "http.response.start"
                assert files[0].closed

        run(main())
