"""Speech is decoded from what videos come in, recognised by the folder's engine, and bounded; captions.

`sounds/spoken.ogg` was spoken by espeak-ng ("go forward ten meters"). The only engine whose wheel carries a
model understands little of it: that the way works is tested here, not how well it hears.
"""

import io
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from pocketsphinx import get_model_path

from moderation.evidence import captions, speech
from moderation.evidence.facts import Cue, Reason, Unreadable
from moderation.evidence.reader import Reader

SPOKEN = (Path(__file__).parent / "sounds" / "spoken.ogg").read_bytes()
MODEL = Path(get_model_path("en-us"))


def sound(*, seconds: float, container: str, codec: str, with_picture: bool = False) -> bytes:
    """Return a quiet tone in a container, beside a black picture if wanted."""
    written = io.BytesIO()
    with av.open(written, "w", format=container) as file:
        stream: Any = file.add_stream(codec, rate=speech.RATE)
        stream.layout = "mono"
        if with_picture:
            video: Any = file.add_stream("mpeg4", rate=1)
            video.width, video.height, video.pix_fmt = 32, 32, "yuv420p"
            file.mux(
                video.encode(av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8), format="rgb24"))
            )
            file.mux(video.encode(None))
        tone = (800 * np.sin(np.arange(int(seconds * speech.RATE)) / 6)).astype(np.int16).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(tone, format="s16", layout="mono")
        frame.rate = speech.RATE
        resampler = av.AudioResampler(format=stream.format, layout="mono", rate=speech.RATE, frame_size=1024)
        for piece in [*resampler.resample(frame), *resampler.resample(None)]:
            file.mux(stream.encode(piece))
        file.mux(stream.encode(None))
    return written.getvalue()


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the samples that an engine gets, instead of having one listen to a tone."""
    lengths: list[int] = []

    def listen(samples: speech.Samples) -> list[Cue]:
        lengths.append(len(samples))
        return []

    monkeypatch.setattr(speech, "_recogniser", lambda *_: listen)
    return lengths


def hints(**more: str) -> dict[str, str]:
    return {"model": str(MODEL), **more}


class TestSpeech:
    @pytest.mark.timeout(120)
    def test_is_recognised_in_the_process_that_may_be_lost(self, tmp_path: Path) -> None:
        """Its model may lie anywhere, also in a cache that the folder's names lead to."""
        folder, cache = tmp_path / "en-us", shutil.copytree(MODEL, tmp_path / "cache")
        folder.mkdir()
        for path in cache.iterdir():
            (folder / path.name).symlink_to(path)
        with closing(Reader(memory_bytes=4 * 1024**3)) as reader:
            facts = reader.read("speech", SPOKEN, hints=hints(model=str(folder)), seconds=60.0)

        assert facts["source"] == "pocketsphinx: en-us"
        assert (facts["seconds"], facts["is_cut"]) == (2.2, False)
        [cue] = facts["cues"]
        assert 0 <= cue["start_ms"] < cue["end_ms"] <= 2_200
        assert facts["text"] == cue["text"] != ""

    @pytest.mark.parametrize(
        ("container", "codec", "with_picture"),
        [
            ("wav", "pcm_s16le", False),
            ("ogg", "libopus", False),
            ("mp4", "aac", True),
            ("matroska", "libopus", True),
        ],
    )
    def test_is_decoded_from_what_videos_come_in(
        self, container: str, codec: str, with_picture: bool, heard: list[int]
    ) -> None:
        data = sound(seconds=2.0, container=container, codec=codec, with_picture=with_picture)

        facts = speech.read(data, hints())

        assert facts.seconds == pytest.approx(2.0, abs=0.2)
        assert not facts.is_cut
        assert heard == [pytest.approx(32_000, abs=3_200)]

    def test_the_first_seconds_are_heard(self, heard: list[int]) -> None:
        facts = speech.read(sound(seconds=5.0, container="wav", codec="pcm_s16le"), hints(seconds="2.0"))

        assert (heard, facts.seconds, facts.is_cut) == ([32_000], 2.0, True)

    def test_what_ends_early_is_heard_as_far_as_it_goes(self, heard: list[int]) -> None:
        whole = sound(seconds=4.0, container="wav", codec="pcm_s16le")

        assert 0 < speech.read(whole[: len(whole) // 2], hints()).seconds < 3.0

    @pytest.mark.parametrize("data", [b"", b"RIFF", b"\x00" * 10_000, SPOKEN[:20], b"<html>" * 100])
    def test_what_is_no_sound_is_broken(self, data: bytes, heard: list[int]) -> None:
        with pytest.raises(Unreadable) as refusal:
            speech.read(data, hints())

        assert refusal.value.reason is Reason.BROKEN

    @pytest.mark.parametrize("files", [[], ["README"], ["model.bin"], ["conf/model.conf"]])
    def test_without_an_engine_it_is_said_by_name(self, files: list[str], tmp_path: Path) -> None:
        """A folder of an engine that is not installed here is as good as none."""
        for name in files:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).touch()

        with pytest.raises(Unreadable) as refusal:
            speech.read(SPOKEN, {"model": str(tmp_path)})

        assert refusal.value.reason is Reason.NOT_INSTALLED


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


class TestCaptions:
    def test_reads_what_is_said_and_when(self) -> None:
        assert captions.transcript({"captions": _WEB, "language": "en", "source": "platform"}) == {
            "language": "en",
            "source": "platform",
            "cues": [
                [1_000, 2_500, "Hello you & me"],
                [2_500, 5_000, "win a prize today"],  # rolled over once, said once
            ],
            "is_cut": False,
        }

    def test_knows_srt_by_itself(self) -> None:
        assert read(_SRT)["cues"] == [[1_000, 2_500, "Hello you"], [60_000, 65_000, "win"]]

    def test_reads_the_beginning_of_very_many(self) -> None:
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
    def test_refuses_by_name(self, file: str, reason: Reason) -> None:
        with pytest.raises(Unreadable) as refused:
            read(file)

        assert refused.value.reason is reason

    def test_is_not_slowed_down_by_tags_that_never_end(self) -> None:
        found = read("WEBVTT\n\n" + _CUE + "<" * 190_000)

        assert sum(len(text) for _, _, text in found["cues"]) <= captions.MOST_LINE_CHARACTERS
