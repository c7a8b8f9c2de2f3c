"""Speech in a video or a recording → what is said, and when, by an engine whose model the operator names.

The files of the model folder say which engine reads it. Without that engine the reason is NOT_INSTALLED.
"""

import functools
import importlib.util
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from moderation.evidence.captions import MOST_CUES, MOST_TEXT
from moderation.evidence.facts import Cue, Reason, Unreadable, storable

RATE = 16_000
"""Samples in a second, as all three engines want them."""
MOST_SECONDS = 60.0
_FRAMES_IN_A_SECOND = 100
Samples = npt.NDArray[np.int16]
Recogniser = Callable[[Samples], list[Cue]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechFacts:
    """What is said; `source` names engine and model. `is_cut` says that the sound goes on after `seconds`."""

    source: str
    seconds: float
    cues: tuple[Cue, ...]
    text: str
    is_cut: bool


def start(hints: Mapping[str, str]) -> None:
    """Load the model that the hints name, if its engine is installed."""
    folder = Path(hints.get("model", ""))
    if engine := engine_of(folder):
        _recogniser(engine, folder)


def read(data: bytes, hints: Mapping[str, str]) -> SpeechFacts:
    """Return what is said in the first minute; the hint `model` is the engine's folder. Raises Unreadable."""
    folder = Path(hints.get("model", ""))
    engine = engine_of(folder)
    if engine is None or importlib.util.find_spec("av") is None:
        raise Unreadable(Reason.NOT_INSTALLED)
    samples, is_cut = _samples(data, seconds=float(hints.get("seconds", MOST_SECONDS)))
    cues = tuple(_recogniser(engine, folder)(samples)[:MOST_CUES])
    return SpeechFacts(
        source=f"{engine}: {folder.name}",
        seconds=round(len(samples) / RATE, 1),
        cues=cues,
        text=storable("\n".join(cue.text for cue in cues), most=MOST_TEXT),
        is_cut=is_cut,
    )


def engine_of(folder: Path) -> str | None:
    """Return the name of the engine that a model folder is for; None if there is none, or it is missing."""
    if (folder / "model.bin").is_file():
        name, module = "faster-whisper", "faster_whisper"
    elif (folder / "conf" / "model.conf").is_file():
        name = module = "vosk"
    elif any(folder.glob("*/mdef")):
        name = module = "pocketsphinx"
    else:
        return None
    return name if importlib.util.find_spec(module) else None


def _samples(data: bytes, *, seconds: float) -> tuple[Samples, bool]:
    """Decode the first sound track, as far as it goes, to one channel; tell if there is more of it."""
    import av  # noqa: PLC0415 - only where it is installed

    most, pieces, count = int(seconds * RATE), [], 0
    try:
        with av.open(io.BytesIO(data), metadata_errors="ignore") as container:
            if not container.streams.audio:
                return np.zeros(0, dtype=np.int16), False
            for piece in _resampled(container):
                pieces.append(piece)
                count += len(piece)
                if count > most:
                    break
    except (av.FFmpegError, ValueError, OSError) as broken:
        # A file that ends early is read as far as it goes.
        if not pieces:
            raise Unreadable(Reason.BROKEN) from broken
    samples = np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int16)
    return samples[:most], count > most


def _resampled(container: Any) -> Iterator[Samples]:
    import av  # noqa: PLC0415 - only where it is installed

    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
    for frame in container.decode(audio=0):
        for piece in resampler.resample(frame):
            yield np.asarray(piece.to_ndarray(), dtype=np.int16).reshape(-1)


@functools.lru_cache(maxsize=1)
def _recogniser(engine: str, folder: Path) -> Recogniser:
    """Load an engine with its model, once per process."""
    recogniser = {"faster-whisper": _whisper, "vosk": _vosk, "pocketsphinx": _sphinx}[engine](folder)
    return lambda samples: [cue for cue in recogniser(samples) if cue.text] if len(samples) else []


def _whisper(folder: Path) -> Recogniser:
    from faster_whisper import WhisperModel  # noqa: PLC0415 - only where it is installed

    model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True)

    def run(samples: Samples) -> list[Cue]:
        segments, _ = model.transcribe(samples.astype(np.float32) / 32_768.0, beam_size=1, vad_filter=False)
        return [_cue(part.start, part.end, part.text) for part in segments]

    return run


def _vosk(folder: Path) -> Recogniser:
    from vosk import KaldiRecognizer, Model, SetLogLevel  # noqa: PLC0415 - only where it is installed

    SetLogLevel(-1)
    model = Model(str(folder))

    def run(samples: Samples) -> list[Cue]:
        recogniser = KaldiRecognizer(model, RATE)
        recogniser.SetWords(1)
        pieces = (samples[start : start + RATE] for start in range(0, len(samples), RATE))
        results = [
            json.loads(recogniser.Result()) for piece in pieces if recogniser.AcceptWaveform(piece.tobytes())
        ]
        results.append(json.loads(recogniser.FinalResult()))
        return [
            _cue(result["result"][0]["start"], result["result"][-1]["end"], result["text"])
            for result in results
            if result.get("result")
        ]

    return run


def _sphinx(folder: Path) -> Recogniser:
    from pocketsphinx import Decoder  # noqa: PLC0415 - only where it is installed

    decoder = Decoder(
        hmm=str(next(folder.glob("*/mdef")).parent),
        lm=str(min(folder.glob("*.lm.bin"), key=lambda path: len(path.name))),
        dict=str(next(folder.glob("*.dict"))),
        samprate=RATE,
        loglevel="FATAL",
    )

    def run(samples: Samples) -> list[Cue]:
        decoder.start_utt()
        decoder.process_raw(samples.tobytes(), full_utt=True)
        decoder.end_utt()
        words = [part for part in decoder.seg() or () if part.word[0] not in "<["]
        if not words:
            return []
        # It knows no sentences: what is said is one cue.
        times = (words[0].start_frame / _FRAMES_IN_A_SECOND, words[-1].end_frame / _FRAMES_IN_A_SECOND)
        return [_cue(*times, " ".join(part.word.partition("(")[0] for part in words))]

    return run


def _cue(start_seconds: float, end_seconds: float, text: str) -> Cue:
    return Cue(
        start_ms=round(start_seconds * 1000),
        end_ms=round(end_seconds * 1000),
        text=" ".join(storable(text).split()),
    )
