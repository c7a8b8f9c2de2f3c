"""Reading what rules can name from a post."""

from __future__ import annotations

import time

import pytest

from scoring import identifiers
from scoring.identifiers import Kind

VALUES = {
    Kind.TEXT: "check out my channel",
    Kind.PHONE: "+18885550162",
    Kind.WALLET: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    Kind.HANDLE: "telegram/@crypto_king",
    Kind.LOOKALIKE: "paypal.com",
}
SPAM = "Check out my channel! \uff0b\uff11 888 555 0162, 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"


def read(text: str, *kinds: Kind) -> identifiers.Found:
    """Read a post that also links to a handle and a look-alike."""
    return identifiers.read(text, urls=["https://t.me/crypto_king"], domains=["paypa1.com"], kinds=kinds)


@pytest.mark.parametrize("kind", Kind)
def test_finds_each_kind_by_its_anchor(kind: Kind) -> None:
    found = read(SPAM, *Kind)

    assert found.holds(kind, VALUES[kind])
    assert identifiers.anchor(kind, VALUES[kind]) in found.anchors()[kind]
    assert identifiers.canonical(kind, VALUES[kind]) == VALUES[kind]


@pytest.mark.parametrize("kind", Kind)
def test_finds_nothing_of_a_kind_that_was_not_read(kind: Kind) -> None:
    found = read(SPAM, *(set(Kind) - {kind}))

    assert not found.holds(kind, VALUES[kind])
    assert kind not in found.anchors()


def test_reads_only_the_beginning() -> None:
    found = read("x" * identifiers.READ_CHARACTERS + SPAM, Kind.PHONE, Kind.TEXT)

    assert not any(found.holds(kind, VALUES[kind]) for kind in (Kind.PHONE, Kind.TEXT))


@pytest.mark.parametrize(
    "unit",
    [
        "1 ",
        "1",
        "(1",
        "+1-",
        "@a.b",
        "telegram:is ",
        "telegram is @",
        "t.me/",
        "a ",
        "T",
        "0x",
        "\u0301a",
        "bc1q",
    ],
)
def test_takes_little_time_for_whatever_text(unit: str) -> None:
    begin = time.process_time()

    read(unit * (30_000 // len(unit)), *Kind).anchors()

    assert time.process_time() - begin < 1
