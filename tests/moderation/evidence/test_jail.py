"""Promise: whoever takes a reader over gets no file, no secret, no network and no process by it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from moderation.evidence import reader
from moderation.evidence.reader import Reader
from tests.moderation.evidence import drawn, hostile_child, test_speech

_GET_DUMPABLE, _SET_DUMPABLE = 3, 4


@pytest.fixture
def started() -> Iterator[Reader]:
    with closing(Reader(memory_bytes=4 * 1024**3)) as started:
        yield started


@pytest.mark.timeout(120)
def test_a_reader_that_is_taken_over_reaches_nothing_and_reads(
    started: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    assert ctypes.CDLL(None).prctl(_GET_DUMPABLE) == 0, "nor is the worker's environment shown to its user"
    japanese = {"content_type": "text/html; charset=shift_jis"}
    assert started.read("page", b"<p>A\x83A", hints=japanese, seconds=20)["text"] == "A\u30a2"
    drawing = drawn.encoded(drawn.with_text("WIN 5000 EUR", size=(900, 200)), "AVIF")
    assert "WIN" in started.read("picture", drawing, hints={}, seconds=20)["text"]
    assert started.read("speech", test_speech.SPOKEN, hints=test_speech.hints(), seconds=60)["text"]


def test_where_the_kernel_lacks_a_jail_the_reader_reads_and_says_so(
    started: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_CHILD", hostile_child.WITHOUT_JAIL)

    assert started.read("page", b"<p>Words", hints={}, seconds=20)["text"] == "Words"
    assert started.lacking == ["landlock", "seccomp"]
