"""The process that reads hostile bytes may be lost; the next read starts another."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import pytest

from moderation.evidence.facts import Reason, Unreadable
from moderation.evidence.reader import Lost, Reader, Readers

HINTS = {"url": "http://site.example/", "content_type": "text/html"}
_MEGABYTES = 1024**2


def test_a_read_that_takes_too_long_is_lost_and_the_next_is_not() -> None:
    with closing(Reader(memory_bytes=1_024 * _MEGABYTES)) as reader:
        assert reader.read("page", b"<p>First", hints=HINTS, seconds=8)["text"] == "First"
        with pytest.raises(Lost):
            reader.read("page", b"<p>Many <b>elements</b></p>" * 30_000, hints=HINTS, seconds=0.05)
        assert reader.read("page", b"<p>Second", hints=HINTS, seconds=8)["text"] == "Second"
        with pytest.raises(Unreadable) as refused:
            reader.read("page", b"", hints=HINTS, seconds=8)
        assert refused.value.reason is Reason.BROKEN


def test_the_start_of_a_process_lengthens_no_read() -> None:
    """A page that is lost costs its own time and a start, not half a minute more for the next one."""
    with closing(Reader(memory_bytes=1_024 * _MEGABYTES)) as reader:
        for _ in range(2):
            with pytest.raises(Lost):
                reader.read("page", b"<p>Many <b>elements</b></p>" * 30_000, hints=HINTS, seconds=0.05)


def test_who_took_least_time_lately_comes_next() -> None:
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
