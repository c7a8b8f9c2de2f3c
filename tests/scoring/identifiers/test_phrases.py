"""Phrases in rules and texts."""

from __future__ import annotations

import pytest

from scoring.identifiers import phrases

VALUE = "check out my channel"


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        (" Check  out, MY channel! ", VALUE), ("free money now", "free money now"), ("free money", ""),
        ("spectacular offer", "spectacular offer"), ("Überweisungsauftrag", "uberweisungsauftrag"),
        ("加我微信", "加 我 微 信"), ("加我", ""), ("...", ""), ("", ""), ("word " * 52, ""),
        (VALUE, VALUE),
    ],
)  # fmt: skip
def test_are_words_without_case_accents_and_signs(typed: str, value: str) -> None:
    assert phrases.canonical(typed) == value


@pytest.mark.parametrize(
    ("text", "is_held"),
    [
        ("Please check out my channel, friends", True), ("CHECK — out *my* channél", True),
        ("ch\u200beck out my cha\u00adnnel", True), ("сheck оut mу channel", True),
        ("c.h.e.c.k out my channel", True), ("check out my channels", False), ("check out channel my", False),
        ("my channel", False), ("", False),
    ],
)  # fmt: skip
def test_are_found_however_they_are_disguised(text: str, is_held: bool) -> None:
    line = phrases.found(text)

    assert phrases.holds(line, VALUE) is is_held
    if is_held:
        assert phrases.anchor(VALUE) in phrases.anchors(line)


@pytest.mark.parametrize("value", ["spectacular offer", "uberweisungsauftrag", "加 我 微 信"])
def test_of_few_words_have_an_anchor_in_the_text(value: str) -> None:
    line = phrases.found(f"a {value} b")

    assert phrases.holds(line, value)
    assert phrases.anchor(value) in phrases.anchors(line)


def test_of_a_long_text_have_few_anchors() -> None:
    line = phrases.found(" ".join(f"word{number}" for number in range(5_000)))

    assert len(phrases.anchors(line)) < 6_000
