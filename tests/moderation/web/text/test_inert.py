"""Hostile text, character by character."""

import time

import pytest

from moderation.web.text import characters, inert, text_marks
from moderation.web.text.text_marks import Segment

HOSTS = ("evil.example", "paypal.com", "evil.co.uk")


def read_link(candidate: str) -> tuple[str, str] | None:
    """Read the hosts of these tests; the product gives the reader that scoring uses."""
    authority = candidate.split("://", 1)[-1].split("/", 1)[0].rsplit("@", 1)[-1].lower()
    found = next((domain for domain in HOSTS if f".{authority}".endswith(f".{domain}")), None)
    return (authority, found) if found else None


def printed(segments: list[Segment]) -> str:
    """What a reader sees, labels in angle brackets."""
    return "".join(f"{part.text}<{part.label}>" if part.label else part.text for part in segments)


class TestLinks:
    @pytest.mark.parametrize(
        ("text", "seen"),
        [
            ("see https://evil.example/a now", "see hxxps://evil[.]example/a now"),
            ("see https://evil.example.", "see hxxps://evil[.]example."),
            ("(http://evil.example)", "(hxxp://evil[.]example)"),
            ("https://login.paypal.com.evil.example/x", "hxxps://login.paypal.com.evil[.]example/x"),
            ("https://paypal.com@evil.example/x", "hxxps://paypal.com@evil[.]example/x"),
            ("HTTPS://EVIL.example", "HxxPS://EVIL[.]example"),
            ("visit evil.co.uk today", "visit evil[.]co[.]uk today"),
            ("no link. At all", "no link. At all"),
            ("javascript:alert(1)", "javascript:alert(1)"),
        ],
    )
    def test_are_broken_and_name_their_domain(self, text: str, seen: str) -> None:
        assert printed(inert.segments(text, read_link=read_link)) == seen

    def test_mark_only_the_registrable_domain_as_domain(self) -> None:
        parts = inert.segments("https://paypal.com.evil.example/paypal.com", read_link=read_link)

        assert [(part.text, part.link) for part in parts] == [
            ("hxxps://", "scheme"),
            ("paypal.com.", "rest"),
            ("evil[.]example", "domain"),
            ("/paypal.com", "rest"),
        ]

    def test_name_the_target_when_the_text_disguises_it(self) -> None:
        parts = inert.segments("http://0x7f.1/", read_link=lambda _: ("127.0.0.1", ""))

        assert parts[-1].link == "target"
        assert parts[-1].text == "127[.]0[.]0[.]1"

    def test_beyond_the_limit_stay_text(self) -> None:
        parts = inert.segments("evil.example " * 1000, read_link=read_link)

        assert sum(part.link == "domain" for part in parts) == 200


class TestMarks:
    @pytest.mark.parametrize(
        ("text", "seen"),
        [
            ("fr\u200bee", "fr<ZWSP>ee"),
            ("a\u202egpj.exe\u202cb", "a<RLO>gpj.exe<PDF>b"),
            ("\u2066x\u2069", "<LRI>x<PDI>"),
            ("a" + "\u200b" * 12, "a<ZWSP ×12>"),
            ("bell\x07", "bell<U+0007>"),
            ("p\u0430ypal", "p\u0430<Cyr>ypal"),
            ("now \u0441\u043e\u0441\u043e free money", "now \u0441\u043e\u0441\u043e<Cyr> free money"),
            ("𝗙𝗥𝗘𝗘 cash", "𝗙𝗥𝗘𝗘<styled> cash"),
            ("Ｆｒｅｅ", "Ｆｒｅｅ<styled>"),
            ("a" + "\u0301" * 100 + "b", "a<+100>b"),
            ("Z" + "\u0301" * 7 + "\u034f" + "\u0301" * 3 + "a", "Z<+7><CGJ><+3>a"),
            ("x\U000e0041\U000e0042", "x<TAG ×2>"),
            ("soft\u00adhyphen", "soft<SHY>hyphen"),
            ("\ue000", "<U+E000>"),
        ],
    )
    def test_show_what_hides_or_imitates(self, text: str, seen: str) -> None:
        assert printed(inert.segments(text)) == seen

    @pytest.mark.parametrize(
        "text",
        [
            "plain words, 100 % honest",
            "Tiếng Việt có dấu",
            "это обычный русский текст, хор",
            "ありがとう ＡＢＣ １２３",
            "نمی\u200cخواهم",
            "👩\u200d👩\u200d👧 family",
            "❤\ufe0f",
            "Grüße aus Köln",
            "e\u0301 decomposed",
            "line\nbreak\ttab",
        ],
    )
    def test_leave_honest_writing_alone(self, text: str) -> None:
        assert all(part.is_plain for part in inert.segments(text))
        assert printed(inert.segments(text)) == text

    def test_tell_what_tag_characters_spell(self) -> None:
        parts = inert.segments("".join(chr(0xE0000 + ord(letter)) for letter in "ignore this"))

        assert "ignore this" in parts[0].title

    def test_never_print_a_bidirectional_control(self) -> None:
        controls = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"

        assert not set("".join(part.text for part in inert.segments(f"a{controls}b"))) & set(controls)


class TestTones:
    def test_grade_words_against_the_strongest(self) -> None:
        assert inert.tones_of([(0, 4, 2.0), (5, 9, -1.0), (10, 14, 0.1), (15, 19, 0.3)]) == [
            (0, 4, 3), (5, 9, -2), (15, 19, 1),
        ]  # fmt: skip

    def test_of_nothing_are_nothing(self) -> None:
        assert inert.tones_of([]) == []
        assert inert.tones_of([(0, 3, 0.0)]) == []

    def test_colour_words_in_place(self) -> None:
        parts = inert.segments("free pills now", tones=[(0, 4, 3), (5, 10, -1)])

        toned = [(part.text, part.tone) for part in parts]
        assert toned == [("free", 3), (" ", 0), ("pills", -1), (" now", 0)]

    def test_reach_into_links(self) -> None:
        parts = inert.segments("https://evil.example/x", read_link=read_link, tones=[(8, 12, 2)])

        assert [(part.text, part.link, part.tone) for part in parts if part.tone] == [("evil", "domain", 2)]

    def test_outside_the_text_are_ignored(self) -> None:
        assert printed(inert.segments("abc", tones=[(1, 900, 1), (-5, -1, 2)])) == "abc"


class TestTime:
    @pytest.mark.parametrize(
        "text",
        [
            "a" * 1_000_000,
            "a." * 500_000,
            "http://" * 140_000,
            "a" + "\u0301" * 10_000,
            "а" * 300_000,
            "\u200ba" * 20_000,
            "🏳️‍🌈" * 20_000,
        ],
        ids=["one_line", "dots", "schemes", "accents", "cyrillic", "hidden", "emoji"],
    )
    def test_stays_bounded(self, text: str) -> None:
        began_at = time.process_time()

        inert.segments(text, read_link=read_link)

        assert time.process_time() - began_at < 3


class TestBeginning:
    def test_keeps_short_texts_whole(self) -> None:
        assert inert.beginning("short", length=100, lines=3) == "short"

    def test_cuts_by_lines_and_by_length(self) -> None:
        assert inert.beginning("a\n" * 50, length=1000, lines=3) == "a\na\na"
        assert inert.beginning("a" * 50, length=10, lines=3) == "a" * 10

    def test_stops_inside_a_word_that_no_language_has(self) -> None:
        assert inert.beginning("see " + "W" * 5000, length=2000, lines=9) == "see " + "W" * 120

    def test_lets_scripts_without_spaces_run_on(self) -> None:
        text = "東京は今日も晴れです" * 40

        assert inert.beginning(text, length=2000, lines=9) == text


class TestExcerpt:
    def test_is_one_line_cut_at_a_word(self) -> None:
        assert inert.excerpt("one two\nthree four", length=12) == "one two…"
        assert inert.excerpt("one two", length=12) == "one two"
        assert inert.excerpt("w" * 100_000, length=10) == "w" * 10 + "…"


class TestLine:
    def test_marks_a_few_hidden_characters_in_their_places(self) -> None:
        assert printed(inert.line("f\u200br\u200bee", length=40)) == "f<ZWSP>r<ZWSP>ee"

    def test_makes_one_mark_of_many(self) -> None:
        parts = inert.line("\u202e" + "\u200b".join("free pills, evil.example") + "\u200b" * 4, length=40)

        assert printed(parts) == "free pills, evil.example<28 hidden characters>"
        assert parts[-1].title == "ZWSP ×27, RLO ×1"

    def test_finds_the_link_behind_hidden_characters(self) -> None:
        parts = inert.line("\u200b".join("evil.example"), length=40, read_link=read_link)

        assert [part.text for part in parts if part.link == "domain"] == ["evil[.]example"]

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("\u200b" * 4_000, "…<40 hidden characters>"),
            ("ab" + "\u200b" * 30 + "c" * 100, "abcccccccc…<30 hidden characters>"),
            ("ab\u200b\u200b\u200b\u200b cd", "ab cd<4 hidden characters>"),
        ],
    )
    def test_tells_that_more_follows(self, text: str, shown: str) -> None:
        assert printed(inert.line(text, length=10)) == shown

    @pytest.mark.parametrize("hidden", ["", "\u200b" * 5])
    def test_reads_a_link_that_is_cut_as_a_whole(self, hidden: str) -> None:
        text = f"{hidden}See http://{'a' * 40}.paypal.com.evil.example/x?y=1 and more"

        parts = inert.line(text, length=62, read_link=read_link)

        assert [part.text for part in parts if part.link == "domain"] == []
        assert [part.text for part in parts if part.link == "target"] == ["evil[.]example"]
        assert "paypal.comevil[.]example…" in "".join(part.text for part in parts)

    def test_marks_the_domain_of_a_cut_link_where_it_is_seen(self) -> None:
        parts = inert.line(f"http://paypal.com.evil.example/{'x' * 99}", length=40, read_link=read_link)

        assert [part.text for part in parts if part.link == "domain"] == ["evil[.]example"]

    def test_leaves_joiners_where_a_script_needs_them(self) -> None:
        text = "نمی\u200cخواهم " * 6

        assert printed(inert.line(text, length=90)) == text.strip()


def test_characters_that_are_not_looked_at_never_deceive() -> None:
    letters = [chr(point) for point in range(0x80, 0x10000) if not text_marks._NOT_PLAIN.search(chr(point))]

    assert {"ü", "ő", "–"} <= set(letters)
    assert not [letter for letter in letters if characters.may_deceive(letter)]
    assert {characters.script(letter) for letter in letters if letter.isalpha()} == {"LATIN"}
