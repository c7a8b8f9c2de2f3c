"""Keccak-256 as Ethereum uses it, which is not the SHA3-256 of hashlib: their padding differs.

After The Keccak reference, version 3.0 (Bertoni, Daemen, Peeters, Van Assche 2011).
"""

from __future__ import annotations

_RATE = 136
_MASK = (1 << 64) - 1
_ROUNDS = 24


def keccak_256(message: bytes) -> bytes:
    """Return the digest of a message."""
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
