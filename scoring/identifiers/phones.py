"""Phone numbers: digits with the country code, whatever stands between them."""

import re
from dataclasses import dataclass

FEWEST, MOST = 7, 15
"""Digits of a number with its country code; E.164 allows no more."""

_FOUND_AT_MOST = 500
_NATIONAL = 9
_LONGEST_CODE = 3
_ANCHOR = 7
_GAP = r"[\s().\-/\u00b7\u2022\u2010-\u2015]{0,3}"
_RUN = re.compile(rf"(?<![\w+])(\+|00)?[(\s]{{0,2}}(\d(?:{_GAP}\d){{6,39}})(?!\w)")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Phone:
    """A number as a text has it; one without its country code may be any country's."""

    digits: str
    is_international: bool


def canonical(text: str) -> str:
    """Return `+` and the digits; "" for no number or one without a country code."""
    digits = "".join(_DIGITS.findall(text))
    run = _RUN.fullmatch(text.strip())
    if run is None or not run[1] or not digits.isascii():
        return ""
    digits = digits.removeprefix("00") if run[1] == "00" else digits
    return f"+{digits}" if FEWEST <= len(digits) <= MOST and digits[0] != "0" else ""


def found(text: str) -> frozenset[Phone]:
    """Return possible numbers: runs of digits, and parts of runs too long for one number."""
    phones: set[Phone] = set()
    for run in _RUN.finditer(text):
        groups = _DIGITS.findall(run[2])
        # A part of an international number is not another country's number.
        is_one = bool(run[1]) and sum(map(len, groups)) <= MOST
        for first in range(1 if is_one else len(groups)):
            digits = ""
            for group in groups[first:]:
                digits += group
                if len(digits) > MOST:
                    break
                if len(digits) >= FEWEST:
                    phones.add(Phone(digits, is_international=bool(run[1]) and first == 0))
            if len(phones) >= _FOUND_AT_MOST:
                return frozenset(phones)
    return frozenset(phones)


def anchor(value: str) -> str:
    """Return the last digits, by which a rule is looked up."""
    return value[-_ANCHOR:]


def anchors(phones: frozenset[Phone]) -> set[str]:
    """Return the anchors of rules that may be about these numbers."""
    return {phone.digits[-_ANCHOR:] for phone in phones}


def holds(phones: frozenset[Phone], value: str) -> bool:
    """Tell whether a number is among these; without its country code at least nine digits must agree."""
    return any(_is_same(phone, value[1:]) for phone in phones)


def _is_same(phone: Phone, digits: str) -> bool:
    if phone.digits == digits:
        return True
    national = phone.digits.lstrip("0")
    missing = len(digits) - len(national)
    is_long = len(national) >= _NATIONAL and 1 <= missing <= _LONGEST_CODE
    return not phone.is_international and is_long and digits.endswith(national)
