"""Wallets: addresses of Bitcoin, Ethereum and TRON, with the checksums that their formats have.

Base58Check (Bitcoin, TRON), bech32 and bech32m (BIP 173, BIP 350), mixed case of Ethereum (EIP 55) after The
Keccak reference, version 3.0 (Bertoni, Daemen, Peeters, Van Assche 2011).
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
_RATE, _ROUNDS = 136, 24
_MASK = (1 << 64) - 1
_WALLET = re.compile(
    rf"(?<![0-9A-Za-z])(?:[13T][{_BASE58}]{{24,34}}|(?i:bc1[{_BECH32}]{{11,71}})|0[xX][0-9a-fA-F]{{40}})(?![0-9A-Za-z])"
)


def canonical(text: str) -> str:
    """Return an address as its chain writes it; "" where the format or its checksum is wrong."""
    address = text.strip()
    if _WALLET.fullmatch(address) is None:
        return ""
    if address[:2].lower() == "0x":
        return _same_case(address) if _is_ethereum(address[2:]) else ""
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


def _is_ethereum(digits: str) -> bool:
    """Mixed case is a checksum; one case is none."""
    if digits in (digits.lower(), digits.upper()):
        return True
    digest = keccak_256(digits.lower().encode()).hex()
    return all(
        letter.isdigit() or letter.isupper() == (int(digest[place], 16) >= 8)
        for place, letter in enumerate(digits)
    )


def keccak_256(message: bytes) -> bytes:
    """Return the digest of a message as Ethereum makes it: hashlib's SHA3-256 pads otherwise."""
    padded = bytearray(message + b"\x01" + b"\x00" * (-(len(message) + 1) % _RATE))
    padded[-1] |= 0x80
    lanes = [[0] * 5 for _ in range(5)]
    for start in range(0, len(padded), _RATE):
        for index in range(_RATE // 8):
            word = padded[start + 8 * index : start + 8 * index + 8]
            lanes[index % 5][index // 5] ^= int.from_bytes(word, "little")
        lanes = _permuted(lanes)
    return b"".join(lanes[index % 5][index // 5].to_bytes(8, "little") for index in range(4))


def _permuted(lanes: list[list[int]]) -> list[list[int]]:
    register = 1
    for _ in range(_ROUNDS):
        lanes = _chi(_rho_and_pi(_theta(lanes)))
        for bit in range(7):
            register = ((register << 1) ^ ((register >> 7) * 0x71)) % 256
            if register & 2:
                lanes[0][0] ^= 1 << ((1 << bit) - 1)
    return lanes


def _theta(lanes: list[list[int]]) -> list[list[int]]:
    columns = [row[0] ^ row[1] ^ row[2] ^ row[3] ^ row[4] for row in lanes]
    change = [columns[(x + 4) % 5] ^ _turned(columns[(x + 1) % 5], 1) for x in range(5)]
    return [[lane ^ change[x] for lane in lanes[x]] for x in range(5)]


def _rho_and_pi(lanes: list[list[int]]) -> list[list[int]]:
    x, y = 1, 0
    moved = [list(row) for row in lanes]
    current = moved[x][y]
    for step in range(_ROUNDS):
        x, y = y, (2 * x + 3 * y) % 5
        current, moved[x][y] = moved[x][y], _turned(current, (step + 1) * (step + 2) // 2)
    return moved


def _chi(lanes: list[list[int]]) -> list[list[int]]:
    return [
        [lanes[x][y] ^ (~lanes[(x + 1) % 5][y] & lanes[(x + 2) % 5][y] & _MASK) for y in range(5)]
        for x in range(5)
    ]


def _turned(lane: int, places: int) -> int:
    places %= 64
    return ((lane << places) | (lane >> (64 - places))) & _MASK
