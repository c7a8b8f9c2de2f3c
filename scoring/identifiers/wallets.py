"""Wallets: addresses of Bitcoin and TRON with the checksums of their formats, and of Ethereum in any case.

Base58Check (Bitcoin, TRON), bech32 and bech32m (BIP 173, BIP 350). The mixed case of Ethereum (EIP 55) is a
checksum, too, but by a digest that no library at hand makes.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator

_FOUND_AT_MOST = 200
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_VERSIONS = {"1": 0x00, "3": 0x05, "T": 0x41}
_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_BECH32_CHECKS = (1, 0x2BC830A3)
_WALLET = re.compile(
    rf"(?<![0-9A-Za-z])(?:[13T][{_BASE58}]{{24,34}}|(?i:bc1[{_BECH32}]{{11,71}})|0[xX][0-9a-fA-F]{{40}})(?![0-9A-Za-z])"
)


def canonical(text: str) -> str:
    """Return an address as its chain writes it; "" where the format or its checksum is wrong."""
    address = text.strip()
    if _WALLET.fullmatch(address) is None:
        return ""
    if address[:2].lower() == "0x":
        return _same_case(address)
    if address[:3].lower() == "bc1":
        return address.lower() if _is_bech32(address) else ""
    return address if _is_base58(address) else ""


def found(text: str) -> frozenset[str]:
    """Return the addresses in a text; checksums are not looked at, since a rule's was."""
    return frozenset(_same_case(address) for address in _first(_WALLET.finditer(text)))


def anchor(value: str) -> str:
    """Return the address, by which a rule is looked up."""
    return value


def anchors(wallets: frozenset[str]) -> set[str]:
    return set(wallets)


def holds(wallets: frozenset[str], value: str) -> bool:
    """Tell whether an address is among these."""
    return value in wallets


def _first(matches: Iterable[re.Match[str]]) -> Iterator[str]:
    for count, match in enumerate(matches):
        if count == _FOUND_AT_MOST:
            return
        yield match[0]


def _same_case(address: str) -> str:
    """Case means something in Base58 only."""
    return address if address[0] in _VERSIONS else address.lower()


def _is_base58(address: str) -> bool:
    number = 0
    for letter in address:
        number = number * 58 + _BASE58.index(letter)
    length = (number.bit_length() + 7) // 8 + len(address) - len(address.lstrip("1"))
    if length != 25:
        return False
    raw = number.to_bytes(25, "big")
    check = hashlib.sha256(hashlib.sha256(raw[:21]).digest()).digest()[:4]
    return raw[21:] == check and raw[0] == _VERSIONS[address[0]]


def _is_bech32(address: str) -> bool:
    if address.lower() != address and address.upper() != address:
        return False
    prefix, _, body = address.lower().rpartition("1")
    values = [ord(letter) >> 5 for letter in prefix] + [0] + [ord(letter) & 31 for letter in prefix]
    checksum = 1
    for value in values + [_BECH32.index(letter) for letter in body]:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate(_GENERATORS):
            checksum ^= generator if (top >> bit) & 1 else 0
    return checksum in _BECH32_CHECKS
