"""Pictures are read within bounds, and their hashes know copies."""

import io

import numpy as np
import pytest
from PIL import ExifTags, Image, ImageFilter

from moderation.evidence import pdq, picture, picture_text
from moderation.evidence.facts import Reason, Unreadable
from tests.moderation.evidence import drawn

_SCRIPT = b"<script>alert(1)</script>"
_HILLS = drawn.encoded(drawn.hills(), "PNG")


class TestRead:
    def test_says_what_a_picture_is_and_reads_its_code(self) -> None:
        data = drawn.encoded(drawn.with_code("https://win.example/claim?id=7"), "JPEG")

        facts = picture.read(data, {})

        assert (facts.format, facts.is_animated) == ("JPEG", False)
        assert [(code.format, code.text) for code in facts.codes] == [
            ("QRCode", "https://win.example/claim?id=7")
        ]
        assert facts.text_engine == ""  # unknown, not empty

    def test_reads_lines_from_top_to_bottom(self) -> None:
        facts = picture_text.read(drawn.encoded(drawn.with_text(*drawn.SPAM_LINES), "PNG"), {})

        assert facts.text == "\n".join(drawn.SPAM_LINES)
        assert facts.text_engine == picture_text.ENGINE

    def test_says_that_no_engine_is_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(picture_text, "is_installed", lambda: False)

        facts = picture_text.read(drawn.encoded(drawn.with_text("WIN"), "PNG"), {})

        assert (facts.text, facts.text_engine) == ("", "")

    @pytest.mark.parametrize("kind", ["PNG", "GIF", "WEBP", "AVIF", "BMP"])
    def test_reads_every_format_alike(self, kind: str) -> None:
        facts = picture.read(drawn.encoded(drawn.hills(), kind), {})

        assert (facts.format, facts.width, facts.height) == (kind, 320, 240)
        assert facts.pdq_quality > 0
        assert len(facts.pdq_turned) == 7

    def test_keeps_nothing_of_the_file_but_pixels(self) -> None:
        exif = Image.Exif()
        exif[ExifTags.Base.Orientation] = 6
        exif[ExifTags.Base.Artist] = _SCRIPT.decode()
        data = drawn.encoded(drawn.hills(), "JPEG", exif=exif, comment=_SCRIPT, icc_profile=_SCRIPT * 9)

        facts = picture.read(data + _SCRIPT, {})

        assert b"script" not in facts.thumbnail
        kept = Image.open(io.BytesIO(facts.thumbnail))
        assert (kept.format, kept.size, dict(kept.getexif())) == ("WEBP", (240, 320), {})
        assert (facts.width, facts.height) == (240, 320)

    def test_puts_what_can_be_seen_through_on_white(self) -> None:
        see_through = Image.new("RGBA", (64, 64), (255, 0, 0, 0))

        facts = picture.read(drawn.encoded(see_through, "PNG"), {})

        assert Image.open(io.BytesIO(facts.thumbnail)).convert("RGB").getpixel((9, 9)) == (255, 255, 255)

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            pytest.param(b"", Reason.WRONG_KIND, id="nothing"),
            pytest.param(
                b'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', Reason.WRONG_KIND, id="svg"
            ),
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
    def test_refuses_by_name(self, data: bytes, reason: Reason) -> None:
        with pytest.raises(Unreadable) as refused:
            picture.read(data, {})

        assert refused.value.reason is reason

    def test_reads_the_first_of_very_many_frames(self) -> None:
        facts = picture.read(drawn.gif_of_frames(200_000), {})

        assert (facts.is_animated, facts.pdq) == (True, "")  # one pixel has no hash


def hashed(picture: Image.Image) -> pdq.Pdq:
    found = pdq.of(np.asarray(picture.convert("RGB")))
    assert found
    return found


def distance(one: str, other: str) -> int:
    """Return the number of bits in which two hashes differ."""
    return (int(one, 16) ^ int(other, 16)).bit_count()


# Written by `pdqhash.compute_dihedral` of pdqhash 0.2.8, the binding of the reference, for the same pixels.
REFERENCE = {
    (320, 240): (
        100,
        "0ab7004c2ab745cc0ab707ccaab7554caab7554daab7aaaeaa92aaacaa975553",
        "02be2aae00be0abe 01e2006603e20066 aeeb0414aaeb0014 aab70433aab70033 07e200194fe20019",
        "02be114122be0141 00eb0aeb00eb0aeb",
    ),
    (64, 64): (
        100,
        "0ab780cc0ab705cc0ab717ccaab7574caab7554daab5aaecaa92aaacaab45553",
        "02be8aae02be8aae 41e2006607e20066 aaeb4014feeb1014 aab76433aab73033 5be2001907e20019",
        "42be014102be0541 00eb82eb00eb02eb",
    ),
    (1000, 37): (
        100,
        "2ab7514d2ab701cc0ab70acc8ab7554caab7555daab7aaacaa92aaacaa965553",
        "00be22be00be2abe 05e200670fe20066 a2eb0014ebeb0414 aab72ab2aab70033 07e200185fe20099",
        "02be4141a0be4141 006302eb00eb02eb",
    ),
    (129, 500): (
        100,
        "2ab700cc2ab703cc2ab707ccaab7154caab7554daab7aaeaaa92aaacaab45553",
        "02be0aae0abe0aae 01e2006605e20066 bfeb0414aaeb0014 aab70033aab78033 07e200190fe20019",
        "02be0041aabe0141 00eb02eb00eb02eb",
    ),
}


class TestHash:
    @pytest.mark.parametrize("size", REFERENCE)
    def test_gives_the_bits_of_the_reference(self, size: tuple[int, int]) -> None:
        quality, first, *turned = REFERENCE[size]

        found = hashed(drawn.hills(size))

        assert (found.quality, found.hash) == (quality, first)
        assert [known[:16] for known in found.turned] == " ".join(turned).split()

    @pytest.mark.parametrize(
        ("copy", "number"),
        [
            (Image.Transpose.ROTATE_90, 0),
            (Image.Transpose.ROTATE_180, 1),
            (Image.Transpose.ROTATE_270, 2),
            (Image.Transpose.FLIP_TOP_BOTTOM, 3),
            (Image.Transpose.FLIP_LEFT_RIGHT, 4),
            (Image.Transpose.TRANSPOSE, 5),
            (Image.Transpose.TRANSVERSE, 6),
        ],
    )
    def test_knows_turned_and_mirrored_copies(self, copy: Image.Transpose, number: int) -> None:
        original = hashed(drawn.hills())

        turned = hashed(drawn.hills().transpose(copy))

        distances = [distance(turned.hash, known) for known in original.turned]
        assert distances[number] <= pdq.SAME_PICTURE
        assert min(distances) == distances[number]
        assert distance(turned.hash, original.hash) > pdq.SAME_PICTURE

    def test_knows_a_smaller_softer_copy_and_no_other_picture(self) -> None:
        original = drawn.hills((800, 600))
        copy = original.resize((300, 225)).filter(ImageFilter.GaussianBlur(1))

        assert distance(hashed(original).hash, hashed(copy).hash) <= pdq.SAME_PICTURE
        other = hashed(drawn.with_text(*drawn.SPAM_LINES))
        assert distance(hashed(original).hash, other.hash) > pdq.SAME_PICTURE

    def test_distrusts_an_empty_picture_and_hashes_no_line(self) -> None:
        assert hashed(Image.new("RGB", (100, 100), "white")).quality < pdq.TRUSTED_QUALITY
        assert pdq.of(np.zeros((4, 900, 3), dtype=np.uint8)) is None
