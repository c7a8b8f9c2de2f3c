"""What is said in a post's videos: captions as platforms send them, and the answer format of all transcripts.

Captions are read at once, so that wrong ones are refused.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import DescribedSerializer
from moderation.api.serializers.fields import LanguageField, TextField, field_refusal
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.evidence.facts import Cue, Reason, Unreadable
from moderation.queries.evidence.transcripts import MOST_CUES, Transcript

MAX_TRANSCRIPTS = 5
MAX_CAPTIONS_LENGTH = 100_000
MAX_SOURCE_LENGTH = 64
MOST_TEXT = 5_000
"""Characters of all cues of a transcript that are answered."""
_WHY = {
    Reason.WRONG_KIND: "Must be WebVTT, beginning with the line WEBVTT, or SRT, with at least one cue.",
    Reason.BROKEN: "Begins as WebVTT, but no cue with its times can be read.",
    Reason.TOO_LARGE: "Must have at most 200,000 bytes in UTF-8.",
}


class TranscriptSerializer(StrictSerializer):
    """What is said in a video of the post."""

    captions = TextField(max_length=MAX_CAPTIONS_LENGTH, help_text="The whole text of a WebVTT or SRT file.")
    language = LanguageField(**OPTIONAL, help_text="BCP 47.")
    source = TextField(  # type: ignore[assignment]  # a field named as an attribute of every field
        max_length=MAX_SOURCE_LENGTH,
        allow_blank=True,
        **OPTIONAL,
        help_text="Who wrote them, in your words, such as author or machine.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the cues in place of the file. Raises ValidationError for what is no captions."""
        from moderation.evidence import captions  # noqa: PLC0415 - few posts have any

        try:
            return captions.transcript(attrs)
        except Unreadable as unreadable:
            raise field_refusal("captions", _WHY[unreadable.reason], code="not_captions") from unreadable


class CueSerializer(serializers.Serializer[Any]):
    """What is said from one time to another, in milliseconds from the start."""

    start_ms = serializers.IntegerField()
    end_ms = serializers.IntegerField()
    text = serializers.CharField()


class SaidSerializer(DescribedSerializer):
    """What is said in a video or a recording."""

    language = serializers.CharField(allow_null=True, help_text="As you sent it; null if you did not.")
    source = serializers.CharField(  # type: ignore[assignment]  # a field named as an attribute of every field
        allow_null=True, help_text="Who wrote it: in your words, or the engine that heard it and its model."
    )
    heard_seconds = serializers.FloatField(
        allow_null=True, help_text="How much of it the engine listened to; null of captions that you sent."
    )
    cues = CueSerializer(
        many=True,
        help_text=f"The first {MOST_CUES}, at most {MOST_TEXT:,} characters; none where nothing was said.",
    )
    is_cut = serializers.BooleanField(help_text="Whether more is said than the cues tell.")


def said(transcript: Transcript) -> dict[str, Any]:
    """Return what is said, as far as it is answered."""
    cues = list(_first(transcript.cues))
    told, known = sum(len(cue["text"]) for cue in cues), sum(len(cue.text) for cue in transcript.cues)
    return {
        "language": transcript.language or None,
        "source": transcript.source or None,
        "heard_seconds": transcript.seconds,
        "cues": cues,
        "is_cut": transcript.is_cut or told < known,
    }


def _first(cues: Iterable[Cue]) -> Iterator[dict[str, Any]]:
    """Yield as many cues as are answered; the last one may be cut."""
    left = MOST_TEXT
    for cue in islice(cues, MOST_CUES):
        if not left:
            return
        text = cue.text[:left]
        left -= len(text)
        yield {"start_ms": cue.start_ms, "end_ms": cue.end_ms, "text": text}
