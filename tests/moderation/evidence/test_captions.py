from __future__ import annotations

from typing import Any

import pytest

from moderation.evidence import captions
from moderation.evidence.facts import Reason, Unreadable

_WEB = """\ufeffWEBVTT

intro
00:00:01.000 --> 00:00:02.500
<v Ann>Hello <b>you</b> &amp; me

00:00:02.500 --> 00:00:05.000
win a prize\0 today

00:00:05.000 --> 00:00:06.000
win a prize today
"""
_SRT = """\
1\r
00:00:01,000 --> 00:00:02,500\r
Hello <i>you</i>\r
\r
2\r
00:01:00,000 --> 00:01:05,000\r
win\r
"""
_CUE = "00:01.000 --> 00:02.000\n"


def read(file: str) -> dict[str, Any]:
    return captions.transcript({"captions": file})


def test_reads_what_is_said_and_when() -> None:
    assert captions.transcript({"captions": _WEB, "language": "en", "source": "platform"}) == {
        "language": "en",
        "source": "platform",
        "cues": [
            [1_000, 2_500, "Hello you & me"],
            [2_500, 5_000, "win a prize today"],  # rolled over once, said once
        ],
        "is_cut": False,
    }


def test_knows_srt_by_itself() -> None:
    assert read(_SRT)["cues"] == [[1_000, 2_500, "Hello you"], [60_000, 65_000, "win"]]


def test_reads_the_beginning_of_very_many() -> None:
    found = read("WEBVTT\n\n" + f"{_CUE}a\n\n{_CUE}b\n\n" * 1_500)

    assert (len(found["cues"]), found["is_cut"]) == (captions.MOST_CUES, True)


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        pytest.param("", Reason.WRONG_KIND, id="nothing"),
        pytest.param("Hello, you won.", Reason.WRONG_KIND, id="prose"),
        pytest.param("WEBVTT\n", Reason.BROKEN, id="no cue"),
        pytest.param("1\n00:00:01,000 --> soon\nwin\n", Reason.WRONG_KIND, id="no times"),
        pytest.param("a" * (captions.MOST_BYTES + 1), Reason.TOO_LARGE, id="too long"),
        pytest.param("WEBVTT\n\n" + "-->\n" * 49_000, Reason.BROKEN, id="only arrows"),
        pytest.param("WEBVTT\n\n" + "0" * 190_000, Reason.BROKEN, id="one long line"),
        pytest.param("WEBVTT\n\nSTYLE\n" + "x\n" * 90_000, Reason.BROKEN, id="only styles"),
    ],
)
def test_refuses_by_name(file: str, reason: Reason) -> None:
    with pytest.raises(Unreadable) as refused:
        read(file)

    assert refused.value.reason is reason


def test_is_not_slowed_down_by_tags_that_never_end() -> None:
    found = read("WEBVTT\n\n" + _CUE + "<" * 190_000)

    assert sum(len(text) for _, _, text in found["cues"]) <= captions.MOST_LINE_CHARACTERS
