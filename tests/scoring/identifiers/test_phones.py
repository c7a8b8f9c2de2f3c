"""Phone numbers in rules and texts."""

from __future__ import annotations

import pytest

from scoring.identifiers import phones

US = "+18885550162"


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("+1 (888) 555-0162", US), ("001 888 555 0162", US), ("+1.888.555.0162", US),
        ("+4712345", "+4712345"), ("+471234", ""), ("+1234567890123456", ""),
        ("888-555-0162", ""), ("+0 888 555 0162", ""), ("call +1 888 555 0162", ""), ("", ""),
        ("+\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668", ""),
    ],
)  # fmt: skip
def test_are_digits_with_a_country_code(typed: str, value: str) -> None:
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
def test_are_found_however_they_are_written(text: str, is_held: bool) -> None:
    found = phones.found(text)

    assert phones.holds(found, US) is is_held
    if is_held:
        assert phones.anchor(US) in phones.anchors(found)


def test_without_the_leading_zero_of_their_country_are_the_same() -> None:
    assert phones.holds(phones.found("0171 1234567"), "+491711234567")


def test_of_a_hostile_text_are_not_too_many() -> None:
    assert len(phones.found("1 2 3 4 5 6 7 8 9 0 " * 5_000)) <= 600
