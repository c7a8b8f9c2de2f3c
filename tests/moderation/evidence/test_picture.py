from __future__ import annotations

import io

import pytest
from PIL import ExifTags, Image

from moderation.evidence import picture, picture_text
from moderation.evidence.facts import Reason, Unreadable
from tests.moderation.evidence import drawn

_SCRIPT = b"<script>alert(1)</script>"
_WORDS_UNREAD = {"text": "no"}


class TestRead:
    def test_says_what_a_picture_is_and_reads_its_code(self) -> None:
        data = drawn.encoded(drawn.with_code("https://win.example/claim?id=7"), "JPEG")

        facts = picture.read(data, _WORDS_UNREAD)

        assert (facts.format, facts.is_animated) == ("JPEG", False)
        assert [(code.format, code.text) for code in facts.codes] == [
            ("QRCode", "https://win.example/claim?id=7")
        ]
        assert facts.text_engine == ""  # unknown, not empty

    def test_reads_lines_from_top_to_bottom(self) -> None:
        facts = picture.read(drawn.encoded(drawn.with_text(*drawn.SPAM_LINES), "PNG"), {})

        assert facts.text == "\n".join(drawn.SPAM_LINES)
        assert facts.text_engine == picture_text.ENGINE

    def test_says_that_no_engine_is_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(picture_text, "is_installed", lambda: False)

        facts = picture.read(drawn.encoded(drawn.with_text("WIN"), "PNG"), {})

        assert (facts.text, facts.text_engine) == ("", "")

    @pytest.mark.parametrize("kind", ["PNG", "GIF", "WEBP", "AVIF", "BMP"])
    def test_reads_every_format_alike(self, kind: str) -> None:
        facts = picture.read(drawn.encoded(drawn.hills(), kind), _WORDS_UNREAD)

        assert (facts.format, facts.width, facts.height) == (kind, 320, 240)
        assert facts.pdq_quality > 0
        assert len(facts.pdq_turned) == 7

    def test_keeps_nothing_of_the_file_but_pixels(self) -> None:
        exif = Image.Exif()
        exif[ExifTags.Base.Orientation] = 6
        exif[ExifTags.Base.Artist] = _SCRIPT.decode()
        data = drawn.encoded(drawn.hills(), "JPEG", exif=exif, comment=_SCRIPT, icc_profile=_SCRIPT * 9)

        facts = picture.read(data + _SCRIPT, _WORDS_UNREAD)

        assert b"script" not in facts.thumbnail
        kept = Image.open(io.BytesIO(facts.thumbnail))
        assert (kept.format, kept.size, dict(kept.getexif())) == ("WEBP", (240, 320), {})
        assert (facts.width, facts.height) == (240, 320)

    def test_puts_what_can_be_seen_through_on_white(self) -> None:
        see_through = Image.new("RGBA", (64, 64), (255, 0, 0, 0))

        facts = picture.read(drawn.encoded(see_through, "PNG"), _WORDS_UNREAD)

        assert Image.open(io.BytesIO(facts.thumbnail)).convert("RGB").getpixel((9, 9)) == (255, 255, 255)


_HILLS = drawn.encoded(drawn.hills(), "PNG")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"", Reason.WRONG_KIND, id="nothing"),
        pytest.param(b'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', Reason.WRONG_KIND, id="svg"),
        pytest.param(b"%PDF-1.7\n" + _HILLS, Reason.WRONG_KIND, id="pdf with a picture inside"),
        pytest.param(
            b"GIF89a=1;alert(1)//" + b"\0" * 99, Reason.WRONG_KIND, id="script that begins as a gif"
        ),
        pytest.param(b"\0" * (picture.MOST_BYTES + 1), Reason.TOO_LARGE, id="too many bytes"),
        pytest.param(_HILLS[: len(_HILLS) // 2], Reason.BROKEN, id="cut off"),
        pytest.param(drawn.encoded(drawn.hills(), "JPEG")[:-500], Reason.BROKEN, id="jpeg cut off"),
        pytest.param(drawn.png(width=60_000, height=60_000), Reason.TOO_LARGE, id="bomb of pixels"),
        pytest.param(drawn.png(width=6_400, height=6_400), Reason.TOO_LARGE, id="just too many pixels"),
        pytest.param(drawn.png(width=6_000, height=6_000), Reason.BROKEN, id="pixels only promised"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + b"\0" * 9_999, Reason.WRONG_KIND, id="png of zeros"),
        pytest.param(b"\xff\xd8\xff" + b"\xff" * 9_999, Reason.WRONG_KIND, id="jpeg of markers"),
        pytest.param(b"RIFF\xff\xff\xff\x7fWEBPVP8 " + b"\xff" * 99, Reason.BROKEN, id="webp that lies"),
    ],
)
def test_refuses_by_name(data: bytes, reason: Reason) -> None:
    with pytest.raises(Unreadable) as refused:
        picture.read(data, _WORDS_UNREAD)

    assert refused.value.reason is reason


def test_reads_the_first_of_very_many_frames() -> None:
    facts = picture.read(drawn.gif_of_frames(200_000), _WORDS_UNREAD)

    assert (facts.is_animated, facts.pdq) == (True, "")  # one pixel has no hash
