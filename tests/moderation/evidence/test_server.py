"""Readers behind a socket: as good as one's own, and a lost one is a connection that is closed."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from moderation.evidence.reader import Busy, Lost, Reader


@pytest.fixture
def server(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server with nothing of this process's environment."""
    command = [sys.executable, "-m", "moderation.evidence.server", str(tmp_path / "socket")]
    process = subprocess.Popen(command, env={})
    yield process
    process.terminate()
    assert process.wait(timeout=10) == 0


def children(process: subprocess.Popen[bytes]) -> list[str]:
    listed = Path(f"/proc/{process.pid}/task").glob("*/children")
    return [child for file in listed for child in file.read_text().split()]


def test_reads_loses_and_reads_again(server: subprocess.Popen[bytes], tmp_path: Path) -> None:
    with closing(Reader(memory_bytes=1024**3, server=tmp_path / "socket")) as reader:
        assert reader.read("page", b"<p>First", hints={}, seconds=20)["text"] == "First"
        assert reader.lacking == []
        with pytest.raises(Lost):
            reader.read("page", b"<p>Many <b>elements</b></p>" * 30_000, hints={}, seconds=0.05)
        assert reader.read("page", b"<p>Second", hints={}, seconds=20)["text"] == "Second"
        assert children(server)
    ends_at = time.monotonic() + 20
    while children(server):
        assert time.monotonic() < ends_at, "what nobody waits for has ended"
        time.sleep(0.1)


def test_is_waited_for_while_it_starts_and_blamed_on_no_page(tmp_path: Path) -> None:
    reader = Reader(memory_bytes=1024**3, server=tmp_path / "nothing")

    with pytest.raises(Busy):
        reader.read("page", b"<p>Words", hints={}, seconds=20, start_seconds=0.5)
