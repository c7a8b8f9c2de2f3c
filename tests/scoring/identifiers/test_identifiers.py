"""What rules can name, in rules and in texts: each kind, and all of them read from a post."""

import time

import pytest

from scoring import identifiers
from scoring.identifiers import Kind, handles, hosts, phones, phrases
from scoring.identifiers.skeleton import skeleton

US = "+18885550162"
PHRASE = "check out my channel"
VALUES = {
    Kind.TEXT: PHRASE,
    Kind.PHONE: US,
    Kind.WALLET: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    Kind.HANDLE: "telegram/@crypto_king",
    Kind.LOOKALIKE: "paypal.com",
}
SPAM = "Check out my channel! \uff0b\uff11 888 555 0162, 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"


def read(text: str, *kinds: Kind) -> identifiers.Found:
    """Read a post that also links to a handle and a look-alike."""
    return identifiers.read(text, urls=["https://t.me/crypto_king"], domains=["paypa1.com"], kinds=kinds)


class TestHandles:
    """Handles in rules and texts."""

    @pytest.mark.parametrize(
        ("typed", "value"),
        [
            ("@Crypto_King", "@crypto_king"), (" telegram:@Crypto_King ", "telegram/@crypto_king"),
            ("telegram/@crypto_king", "telegram/@crypto_king"),
            ("telegram crypto_king", "telegram/@crypto_king"),
            ("t.me/crypto_king", "telegram/@crypto_king"),
            ("https://instagram.com/a.b.c/", "instagram/@a.b.c"),
            ("https://instagram.com/explore", ""), ("crypto_king", ""), ("@ab", ""), ("me@shop.example", ""),
            ("@a b", ""), ("", ""), ("@" + "a" * 65, ""),
        ],
    )  # fmt: skip
    def test_are_names_with_or_without_a_platform(self, typed: str, value: str) -> None:
        assert handles.canonical(typed) == value

    @pytest.mark.parametrize(
        ("text", "anywhere", "on_telegram"),
        [
            ("write @Crypto_King now", True, False),
            ("telegram: @crypto_king", True, True),
            ("TG @crypt0_k1ng.", True, True),
            ("insta @crypto_king", True, False),
            ("see https://t.me/crypto_king?start=1", True, True),
            ("@сryptо_king", True, False),
            ("@crypto_kings @a_crypto_king me@crypto_king.example", False, False),
            ("crypto_king", False, False),
        ],
    )
    def test_are_found_as_mentions_and_links(self, text: str, anywhere: bool, on_telegram: bool) -> None:
        found = handles.found(text)

        assert handles.holds(found, "@crypto_king") is anywhere
        assert handles.holds(found, "telegram/@crypto_king") is on_telegram
        if anywhere:
            assert handles.anchor("telegram/@crypto_king") in handles.anchors(found)

    def test_of_a_hostile_text_are_not_too_many(self) -> None:
        text = " ".join(f"@name{number}" for number in range(2_000))

        assert len(handles.found(text)) <= 400


class TestHosts:
    """Domains that look like another one."""

    @pytest.mark.parametrize(
        ("domain", "is_alike"),
        [
            ("paypa1.com", True), ("paypai.com", True), ("pаypal.com", True), ("xn--pypal-4ve.com", True),
            ("p\u00e4ypal.com", True), ("paypal.com", False), ("paypal.net", False), ("pay-pal.com", False),
            ("xn--\u20ac.com", False), ("xn--99999999.com", False), ("", False),
        ],
    )  # fmt: skip
    def test_are_other_domains_of_the_same_skeleton(self, domain: str, is_alike: bool) -> None:
        found = hosts.found(frozenset({domain, "shop.example"}))

        assert hosts.holds(found, "paypal.com") is is_alike
        assert (hosts.anchor("paypal.com") in hosts.anchors(found)) is (is_alike or domain == "paypal.com")

    def test_fold_letters_that_run_together(self) -> None:
        assert hosts.holds(hosts.found(frozenset({"arnazon.com"})), "amazon.com")


class TestPhones:
    """Phone numbers in rules and texts."""

    @pytest.mark.parametrize(
        ("typed", "value"),
        [
            ("+1 (888) 555-0162", US), ("001 888 555 0162", US), ("+1.888.555.0162", US),
            ("+4712345", "+4712345"), ("+471234", ""), ("+1234567890123456", ""),
            ("888-555-0162", ""), ("+0 888 555 0162", ""), ("call +1 888 555 0162", ""), ("", ""),
            ("+\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668", ""),
        ],
    )  # fmt: skip
    def test_are_digits_with_a_country_code(self, typed: str, value: str) -> None:
        assert phones.canonical(typed) == value

    @pytest.mark.parametrize(
        ("text", "is_held"),
        [
            ("call +1 888-555-0162 now", True), ("call 1-888-555-0162", True), ("(888) 555.0162!", True),
            ("0018885550162", True), ("888 555 0162 888 555 0163", True), ("5550162", False),
            ("+49 888 555 0162", False), ("+1 888 555 0163", False), ("x8885550162", False),
            ("order 18885550162999", False), ("1888555016", False),
        ],
    )  # fmt: skip
    def test_are_found_however_they_are_written(self, text: str, is_held: bool) -> None:
        found = phones.found(text)

        assert phones.holds(found, US) is is_held
        if is_held:
            assert phones.anchor(US) in phones.anchors(found)

    def test_without_the_leading_zero_of_their_country_are_the_same(self) -> None:
        assert phones.holds(phones.found("0171 1234567"), "+491711234567")

    def test_of_a_hostile_text_are_not_too_many(self) -> None:
        assert len(phones.found("1 2 3 4 5 6 7 8 9 0 " * 5_000)) <= 600


class TestPhrases:
    """Phrases in rules and texts."""

    @pytest.mark.parametrize(
        ("typed", "value"),
        [
            (" Check  out, MY channel! ", PHRASE), ("free money now", "free money now"), ("free money", ""),
            ("spectacular offer", "spectacular offer"), ("Überweisungsauftrag", "uberweisungsauftrag"),
            ("加我微信", "加 我 微 信"), ("加我", ""), ("...", ""), ("", ""), ("word " * 52, ""),
            (PHRASE, PHRASE),
        ],
    )  # fmt: skip
    def test_are_words_without_case_accents_and_signs(self, typed: str, value: str) -> None:
        assert phrases.canonical(typed) == value

    @pytest.mark.parametrize(
        ("text", "is_held"),
        [
            ("Please check out my channel, friends", True), ("CHECK — out *my* channél", True),
            ("ch\u200beck out my cha\u00adnnel", True), ("сheck оut mу channel", True),
            ("c.h.e.c.k out my channel", True), ("check out my channels", False),
            ("check out channel my", False),
            ("my channel", False), ("", False),
        ],
    )  # fmt: skip
    def test_are_found_however_they_are_disguised(self, text: str, is_held: bool) -> None:
        line = phrases.found(text)

        assert phrases.holds(line, PHRASE) is is_held
        if is_held:
            assert phrases.anchor(PHRASE) in phrases.anchors(line)

    @pytest.mark.parametrize("value", ["spectacular offer", "uberweisungsauftrag", "加 我 微 信"])
    def test_of_few_words_have_an_anchor_in_the_text(self, value: str) -> None:
        line = phrases.found(f"a {value} b")

        assert phrases.holds(line, value)
        assert phrases.anchor(value) in phrases.anchors(line)

    def test_of_a_long_text_have_few_anchors(self) -> None:
        line = phrases.found(" ".join(f"word{number}" for number in range(5_000)))

        assert len(phrases.anchors(line)) < 6_000


class TestSkeleton:
    """Names that look alike have one skeleton."""

    @pytest.mark.parametrize(
        "name", ["Paypal", "раураl", "paypa1", "PAYPAI", "p\u00e1yp\u00e0l", "p\u200baypal", "ｐａｙｐａｌ"]
    )
    def test_is_the_same_for_look_alikes(self, name: str) -> None:
        assert skeleton(name) == "paypal"

    @pytest.mark.parametrize(("one", "other"), [("paypal", "paypals"), ("shop", "stop"), ("a_b", "a.b")])
    def test_differs_for_other_names(self, one: str, other: str) -> None:
        assert skeleton(one) != skeleton(other)


class TestRead:
    """Reading what rules can name from a post."""

    @pytest.mark.parametrize("kind", Kind)
    def test_finds_each_kind_by_its_anchor(self, kind: Kind) -> None:
        found = read(SPAM, *Kind)

        assert found.holds(kind, VALUES[kind])
        assert identifiers.anchor(kind, VALUES[kind]) in found.anchors()[kind]
        assert identifiers.canonical(kind, VALUES[kind]) == VALUES[kind]

    @pytest.mark.parametrize("kind", Kind)
    def test_finds_nothing_of_a_kind_that_was_not_read(self, kind: Kind) -> None:
        found = read(SPAM, *(set(Kind) - {kind}))

        assert not found.holds(kind, VALUES[kind])
        assert kind not in found.anchors()

    def test_reads_only_the_beginning(self) -> None:
        found = read("x" * identifiers.READ_CHARACTERS + SPAM, Kind.PHONE, Kind.TEXT)

        assert not any(found.holds(kind, VALUES[kind]) for kind in (Kind.PHONE, Kind.TEXT))

    @pytest.mark.parametrize(
        "unit",
        [
            *("1 ", "1", "(1", "+1-", "@a.b", "telegram:is ", "telegram is @", "t.me/", "a ", "T", "0x"),
            *("\u0301a", "bc1q"),
        ],
    )
    def test_takes_little_time_for_whatever_text(self, unit: str) -> None:
        begin = time.process_time()

        read(unit * (30_000 // len(unit)), *Kind).anchors()

        assert time.process_time() - begin < 1
