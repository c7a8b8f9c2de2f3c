"""The normaliser as a whole: what is undone, what is left alone, and that every character knows its place."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring import normalise
from scoring.normalise import VersionMismatch, words

# Characters that the steps care about, so that hypothesis meets them often.
HOSTILE = st.text(
    alphabet=st.one_of(
        st.sampled_from("aeiouFREX 0134578@$!|€+.-_*/:()[]xhtp\n\t"),
        st.sampled_from("аеорсухіѕмткяАВЕοανιπσ\u0301\u0308\u0336\u0344\u20e3\u200b\u200d\u200c\ufe0f\u00ad"),
        st.sampled_from("ｆｒｅ①ⓕ𝐟🅵ﬁ½…´¨\u3164\u2800\u1160\u1161\u11a8\u1100가ﾞﾊم\ufdfaخ\ud800ɪꜰᴇ中"),
        st.characters(),
    ),
    max_size=60,
)


def read(raw: str) -> str:
    return normalise.normalise(raw).text


class TestProperties:
    @given(HOSTILE)
    @example("f . r . 3 . 3")
    @example("h x x p : / / a [ . ] b")
    @example("\u1100\u200b\u1161\u0301")
    @settings(max_examples=400, deadline=None)
    def test_a_second_pass_changes_nothing(self, raw: str) -> None:
        once = read(raw)

        assert read(once) == once

    @given(HOSTILE)
    @settings(max_examples=200, deadline=None)
    def test_every_character_knows_its_place(self, raw: str) -> None:
        found = normalise.normalise(raw)

        assert len(found.starts) == len(found.ends) == len(found.text)
        assert all(0 <= start < end <= len(raw) for start, end in zip(found.starts, found.ends, strict=True))
        assert list(found.starts) == sorted(found.starts)
        assert list(found.ends) == sorted(found.ends)

    @given(HOSTILE)
    @settings(max_examples=200, deadline=None)
    def test_what_comes_out_can_be_sent(self, raw: str) -> None:
        found = read(raw)

        found.encode("utf-8")
        assert not any(character in found for character in "\u200b\u00ad\ufeff\u2060\x00\u3164")

    @given(
        st.text(
            alphabet=st.characters(
                min_codepoint=0x20, max_codepoint=0x7E, exclude_characters="01345789 @$!|+[](){}.-_*^~,"
            ),
            max_size=80,
        )
    )
    @settings(max_examples=200, deadline=None)
    def test_plain_words_stay(self, raw: str) -> None:
        assert read(raw) == raw


class TestUndoes:
    @pytest.mark.parametrize(
        ("raw", "plain"),
        [
            ("f r e e money", "free money"),
            ("F r e e   e n t r y   i n", "Free   entry   in"),
            ("Y o u h a v e won", "You have won"),
            ("U R G E N T!", "URGENT!"),
            ("f.r.e.e f-r-e-e f_r_e_e", "free free free"),
            ("f . r . e . e", "free"),
            ("f\u200br\u00ade\u2060e", "free"),
            ("ｆｒｅｅ ｃａｓｈ", "free cash"),
            ("𝐟𝐫𝐞𝐞 ⓕⓡⓔⓔ 🅵🆁🅴🅴 ꜰʀᴇᴇ", "free free FREE free"),
            ("Frее саsh", "Free cash"),
            ("сосо free", "coco free"),
            ("ραypal FЯEE", "paypal FREE"),
            ("v1agra pr1ze fr33 c@sh $ave hell0 7h3", "viagra prize free cash save hello the"),
            ("C4LL N0W", "CALL NOW"),
            ("f r 3 3", "free"),
            ("hxxps://a[.]example b(dot)example", "https://a.example b.example"),
            ("What'sapp✙1202 te-le-gram", "WhatsApp +1202 Telegram"),
            ("f̶r̶e̶e̶", "free"),
        ],
    )
    def test_disguise(self, raw: str, plain: str) -> None:
        assert read(raw) == plain

    def test_keeps_two_accents_of_a_pile(self) -> None:
        assert len(read("a" + "\u0301\u0316" * 500)) <= 3


@pytest.mark.parametrize(
    "raw",
    [
        "Я люблю оса и VPN",
        "рост сор роса Москва",
        "Η Ελλάδα είναι όμορφη",
        "iPhone в Москве и сосо",
        "می‌خواهم बच्‍चा",
        "Tiếng Việt, café, naïve, Übergröße",
        "おはようございます 営業",
        "한국어 문장입니다",
        "mp3 gr8 2day b4 room5 top10 1st 10am 11AM 3rd",
        "$SOSO $1 £1000 CLAIM1234 M227XY 08001234567",
        "mail me: bob1@a1l.example or http://paypa1.example/fr33?c4ll=1 #m0ney @us3r",
        "I 4 one, u 2? A - B",
        "don´t",
        "line one\nline two\ttabbed",
        "",
    ],
)
def test_leaves_what_is_no_disguise(raw: str) -> None:
    assert read(raw) == raw


class TestRanges:
    def test_a_word_maps_to_all_that_it_was_written_with(self) -> None:
        raw = "get f\u200b r е е ｃａｓｈ"
        found = normalise.normalise(raw)
        places = {word: found.text.index(word) for word in ("free", "cash")}

        ranges = {word: found.raw_range(place, place + len(word)) for word, place in places.items()}

        assert found.text == "get free cash"
        assert {word: raw[start:end] for word, (start, end) in ranges.items()} == {
            "free": "f\u200b r е е",
            "cash": "ｃａｓｈ",
        }

    def test_one_character_that_stands_for_several(self) -> None:
        found = normalise.normalise("aﬁb")

        assert found.text == "afib"
        assert (found.starts, found.ends) == ((0, 1, 1, 2), (1, 2, 2, 3))


@pytest.mark.parametrize(
    "link",
    [
        *("https://shop.example/a?b=c", "HTTPS://SHOP.EXAMPLE", "www.shop.example/x"),
        *("hxxps://shop[.]example/x", "shop.com/x", "shop.co.uk", "t.me/abc"),
    ],
)
def test_a_link_of_every_kind_is_read_as_one_token(link: str) -> None:
    assert normalise.as_read(f"see {link} now").text == "see [LINK] now"


@pytest.mark.parametrize("words", ["mail a@b.com now", "version 1.2.3 now", "see example dot com now"])
def test_what_is_no_link_is_read_as_it_is(words: str) -> None:
    assert normalise.as_read(words).text == words


@pytest.mark.parametrize(
    "raw",
    [
        "a" + "\u0301" * 100_000,
        "a" + "\u0301\u0316" * 50_000,
        "a\u200b" * 50_000,
        "a " * 50_000,
        "a" + " " * 100_000,
        "аb" * 50_000,
        "а" * 100_000,
        "v1agra " * 15_000,
        "a." * 50_000,
        "1" * 100_000,
        "0a" * 50_000,
        "h[.]" * 25_000,
        "中文" * 50_000,
        "\u1161" * 100_000,
    ],
    ids=lambda raw: repr(raw[:4]),
)
def test_time_stays_linear(raw: str) -> None:
    started = time.process_time()

    read(raw)

    # The quadratic ways that failed took minutes.
    assert time.process_time() - started < 5.0


class TestVersions:
    def test_the_present_version_normalises(self) -> None:
        assert normalise.of_version(normalise.VERSION)("f r e e") == "free"

    def test_refuses_a_version_it_does_not_have(self) -> None:
        with pytest.raises(VersionMismatch, match=r"'0\.9'"):
            normalise.of_version("0.9")


def test_the_word_list_ranks_the_frequent_first() -> None:
    ranks = [words.rank(word) for word in ("the", "free", "airdrop", "pharmacies")]

    assert ranks[0] == 0
    assert ranks[:3] == sorted(rank for rank in ranks[:3] if rank is not None)
    assert (ranks[2] or words.FREQUENT) < words.FREQUENT
    assert words.rank("v1agra") is None
