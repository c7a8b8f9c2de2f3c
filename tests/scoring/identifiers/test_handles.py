"""Handles in rules and texts."""

from __future__ import annotations

import pytest

from scoring.identifiers import handles


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("@Crypto_King", "@crypto_king"), (" telegram:@Crypto_King ", "telegram/@crypto_king"),
        ("telegram/@crypto_king", "telegram/@crypto_king"), ("telegram crypto_king", "telegram/@crypto_king"),
        ("t.me/crypto_king", "telegram/@crypto_king"), ("https://instagram.com/a.b.c/", "instagram/@a.b.c"),
        ("https://instagram.com/explore", ""), ("crypto_king", ""), ("@ab", ""), ("me@shop.example", ""),
        ("@a b", ""), ("", ""), ("@" + "a" * 65, ""),
    ],
)  # fmt: skip
def test_are_names_with_or_without_a_platform(typed: str, value: str) -> None:
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
def test_are_found_as_mentions_and_links(text: str, anywhere: bool, on_telegram: bool) -> None:
    found = handles.found(text)

    assert handles.holds(found, "@crypto_king") is anywhere
    assert handles.holds(found, "telegram/@crypto_king") is on_telegram
    if anywhere:
        assert handles.anchor("telegram/@crypto_king") in handles.anchors(found)


def test_of_a_hostile_text_are_not_too_many() -> None:
    text = " ".join(f"@name{number}" for number in range(2_000))

    assert len(handles.found(text)) <= 400
