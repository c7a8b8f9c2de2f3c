"""Receivers of webhooks in one process: one that answers, one after 15 s, one never, one with 500.

`python -m lab._receivers` prints their ports and runs until it is killed.
"""

import asyncio
import sys
from functools import partial

_SLOW_SECONDS = 15.0


async def _serve(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, status: str, wait: float
) -> None:
    """Answer each request of a connection in turn."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            )
            await reader.readexactly(length)
            await asyncio.sleep(wait)
            writer.write(f"HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n".encode())
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _main() -> None:
    kinds = {"ok": ("204 No Content", 0.0), "slow": ("204 No Content", _SLOW_SECONDS)}
    kinds |= {"mute": ("204 No Content", 1e6), "broken": ("500 Oh", 0.0)}
    servers = {
        name: await asyncio.start_server(
            partial(_serve, status=kind[0], wait=kind[1]),
            "127.0.0.1",
            0,
        )
        for name, kind in kinds.items()
    }
    sys.stdout.write(" ".join(f"{n}={s.sockets[0].getsockname()[1]}" for n, s in servers.items()) + "\n")
    sys.stdout.flush()
    await asyncio.gather(*(server.serve_forever() for server in servers.values()))


if __name__ == "__main__":
    asyncio.run(_main())
