"""The process that reads hostile bytes may be lost, alone or behind a socket; the next read starts another.

Promise: whoever takes a reader over gets no file, no secret, no network and no process by it.
"""

import ctypes
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from moderation.evidence import reader
from moderation.evidence.facts import Reason, Unreadable
from moderation.evidence.reader import Busy, Lost, Reader, Readers
from tests.moderation.evidence import drawn, hostile_child, test_speech

HINTS = {"url": "http://site.example/", "content_type": "text/html"}
_MEGABYTES = 1024**2


class TestReader:
    def test_a_read_that_takes_too_long_is_lost_and_the_next_is_not(self) -> None:
        with closing(Reader(memory_bytes=1_024 * _MEGABYTES)) as reader:
            assert reader.read("page", b"<p>First", hints=HINTS, seconds=8)["text"] == "First"
            with pytest.raises(Lost):
                reader.read("page", b"<p>Many <b>elements</b></p>" * 30_000, hints=HINTS, seconds=0.05)
            assert reader.read("page", b"<p>Second", hints=HINTS, seconds=8)["text"] == "Second"
            with pytest.raises(Unreadable) as refused:
                reader.read("page", b"", hints=HINTS, seconds=8)
            assert refused.value.reason is Reason.BROKEN

    def test_the_start_of_a_process_lengthens_no_read(self) -> None:
        """A page that is lost costs its own time and a start, not half a minute more for the next one."""
        with closing(Reader(memory_bytes=1_024 * _MEGABYTES)) as reader:
            for _ in range(2):
                with pytest.raises(Lost):
                    reader.read("page", b"<p>Many <b>elements</b></p>" * 30_000, hints=HINTS, seconds=0.05)

    def test_who_took_least_time_lately_comes_next(self) -> None:
        readers, read = Readers(1, memory_bytes=1_024 * _MEGABYTES), list[str]()
        slow, quick = b"<p>Many <b>elements</b></p>" * 30_000, b"<p>Few"

        def ask(owner: str, site: str, page: bytes = quick, *, waiting: int = 0) -> threading.Thread:
            def run() -> None:
                ends_at = time.monotonic() + 60
                readers.read("page", page, hints=HINTS, seconds=30, owner=owner, site=site, ends_at=ends_at)
                read.append(f"{owner} {site}")

            asking = threading.Thread(target=run)
            asking.start()
            while asking.is_alive() and (readers._idle or len(readers._waiting) < waiting):
                time.sleep(0.01)
            return asking

        with closing(readers):
            ask("a", "slow", slow).join()
            asked = [ask("c", "any", slow), ask("a", "slow", waiting=1), ask("a", "new", waiting=2)]
            for one in [*asked, ask("b", "any", waiting=3)]:
                one.join()

        assert read == ["a slow", "c any", "b any", "a new", "a slow"]


_GET_DUMPABLE, _SET_DUMPABLE = 3, 4


@pytest.fixture
def started() -> Iterator[Reader]:
    with closing(Reader(memory_bytes=4 * 1024**3)) as started:
        yield started


def test_a_process_that_waits_for_more_is_kept(started: Reader) -> None:
    started.read("page", b"<p>First", hints={}, seconds=0.2, start_seconds=20)
    ends_at = time.monotonic() + 1.5  # longer than such a read may take

    while time.monotonic() < ends_at:
        assert started.is_running
        time.sleep(0.1)


class TestJail:
    @pytest.mark.timeout(120)
    def test_a_reader_that_is_taken_over_reaches_nothing_and_reads(
        self, started: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reader, "_CHILD", hostile_child.COMMAND)
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 1)
        secret = tmp_path / "secret"
        secret.write_text("words")

        ended = started.read("attempt", b"", hints={"file": str(secret)}, seconds=20)

        assert set(ended.pop("nothing").values()) == {"done"}
        for part in set(ended) - set(started.lacking):
            assert set(ended[part].values()) == {"PermissionError"}, ended[part]
        assert "seccomp" not in started.lacking
        assert ctypes.CDLL(None).prctl(_GET_DUMPABLE) == 0, (
            "nor is the worker's environment shown to its user"
        )
        japanese = {"content_type": "text/html; charset=shift_jis"}
        assert started.read("page", b"<p>A\x83A", hints=japanese, seconds=20)["text"] == "A\u30a2"
        drawing = drawn.encoded(drawn.with_text("WIN 5000 EUR", size=(900, 200)), "AVIF")
        assert "WIN" in started.read("text", drawing, hints={}, seconds=20)["text"]
        assert started.read("speech", test_speech.SPOKEN, hints=test_speech.hints(), seconds=60)["text"]

    def test_where_the_kernel_lacks_a_jail_the_reader_reads_and_says_so(
        self, started: Reader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reader, "_CHILD", hostile_child.WITHOUT_JAIL)

        assert started.read("page", b"<p>Words", hints={}, seconds=20)["text"] == "Words"
        assert started.lacking == ["landlock", "seccomp"]


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


class TestServer:
    def test_reads_loses_and_reads_again(self, server: subprocess.Popen[bytes], tmp_path: Path) -> None:
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

    def test_is_waited_for_while_it_starts_and_blamed_on_no_page(self, tmp_path: Path) -> None:
        reader = Reader(memory_bytes=1024**3, server=tmp_path / "nothing")

        with pytest.raises(Busy):
            reader.read("page", b"<p>Words", hints={}, seconds=20, start_seconds=0.5)
