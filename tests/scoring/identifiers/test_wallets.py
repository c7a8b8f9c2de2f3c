"""Addresses of three chains with their checksums (BIP 173, BIP 350, the first block)."""

import pytest

from scoring.identifiers import wallets

GENESIS = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
SEGWIT = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"
ETHEREUM = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
TRON = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        (GENESIS, GENESIS), (f" {GENESIS} ", GENESIS), (GENESIS[:-1] + "b", ""), (GENESIS.lower(), ""),
        ("3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"),
        (SEGWIT, SEGWIT), (SEGWIT.upper(), SEGWIT), (SEGWIT[:-1] + "p", ""), ("BC1q" + SEGWIT[4:], ""),
        ("bc1p5d7rjq7g6rdk2yhzks9smlaqtedr4dekq08ge8ztwac72sfr9rusxg3297",
         "bc1p5d7rjq7g6rdk2yhzks9smlaqtedr4dekq08ge8ztwac72sfr9rusxg3297"),
        (ETHEREUM, ETHEREUM.lower()), (ETHEREUM.upper(), ETHEREUM.lower()), (ETHEREUM[:-1], ""),
        (TRON, TRON), (TRON[:-1] + "x", ""), ("T" + GENESIS[1:], ""), ("0x1234", ""), ("", ""),
    ],
)  # fmt: skip
def test_have_the_right_checksum(typed: str, value: str) -> None:
    assert wallets.canonical(typed) == value


@pytest.mark.parametrize("address", [GENESIS, SEGWIT, ETHEREUM, ETHEREUM.lower(), TRON])
def test_are_found_in_a_text(address: str) -> None:
    value = wallets.canonical(address)

    found = wallets.found(f"send BTC to: {address}, or lose it")

    assert wallets.holds(found, value)
    assert wallets.anchors(found) == {wallets.anchor(value)}


@pytest.mark.parametrize("text", [f"x{GENESIS}", f"{GENESIS}9", GENESIS.lower(), "no wallet here"])
def test_are_not_parts_of_words(text: str) -> None:
    assert not wallets.holds(wallets.found(text), GENESIS)


def test_of_a_hostile_text_are_not_too_many() -> None:
    texts = " ".join(f"0x{number:040x}" for number in range(2_000))

    assert len(wallets.found(texts)) == 200
