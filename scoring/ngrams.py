"""Hash n-grams of symbols into the buckets of a linear model's weights."""

import numpy as np
from numpy.typing import NDArray

BUCKET_BITS = 16
BUCKETS = 1 << BUCKET_BITS
_PRIME, _MIX = np.uint32(16_777_619), np.uint32(0x9E37_79B1)


def hashed(symbols: NDArray[np.uint32], *, size: int, salt: int) -> NDArray[np.uint32]:
    """Return the bucket, below 2**BUCKET_BITS, of every n-gram of `size` symbols, in their order.

    FNV over the window, then a multiplicative mix (Knuth, The Art of Computer Programming 3, 6.4). `salt`
    separates the namespaces of equal n-grams. Releases hold weights by these buckets, so the hash must never
    change.
    """
    count = len(symbols) - size + 1
    if count < 1:
        return np.zeros(0, dtype=np.uint32)
    windows = np.full(count, (size + salt) * 2_654_435_761 & 0xFFFF_FFFF, dtype=np.uint32)
    for place in range(size):
        # uint32 wraps on purpose: FNV is defined modulo 2**32.
        windows = (windows ^ symbols[place : place + count]) * _PRIME
    windows ^= windows >> np.uint32(15)
    buckets: NDArray[np.uint32] = (windows * _MIX) >> np.uint32(32 - BUCKET_BITS)
    return buckets
