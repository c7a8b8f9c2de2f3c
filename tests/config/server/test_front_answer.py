"""The ASGI application with an application of the test's own behind it: what becomes of an answer."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.config.server.asgi import Client, run, serving


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
