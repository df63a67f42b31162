"""CRC-64/XZ: of data, and combined from the CRCs of two parts. No I/O.

It does not use the SDK's code: a server that shares its client's code could not detect the client's errors.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

_POLYNOMIAL: Final = 0x42F0E1EBA9EA3693
_REFLECTED: Final = int(f"{_POLYNOMIAL:064b}"[::-1], 2)
_Matrix = tuple[int, ...]  # a linear map over GF(2): the image of each bit


def crc64(data: bytes | bytearray, crc: int = 0) -> int:
    """Return the CRC of `data` appended to data with the CRC `crc`."""
    return _function()(data, crc)


def combined(first: int, second: int, size: int) -> int:
    """Return the CRC of two consecutive parts from their CRCs; `size` is that of the second."""
    return _times(_shift(size), first) ^ second


@lru_cache(maxsize=1)
def _function() -> Callable[[bytes | bytearray, int], int]:
    from crcmod.crcmod import mkCrcFun

    made: Callable[[bytes | bytearray, int], int] = mkCrcFun(
        1 << 64 | _POLYNOMIAL, initCrc=0, rev=True, xorOut=(1 << 64) - 1
    )
    return made


@lru_cache(maxsize=64)
def _shift(size: int) -> _Matrix:
    """Return the effect of `size` zero bytes on a CRC; cached, since parts are mostly of one size."""
    if size == 0:
        return tuple(1 << bit for bit in range(64))
    if size == 1:
        return tuple(_times_x8(1 << bit) for bit in range(64))
    half = _shift(size // 2)
    both = tuple(_times(half, column) for column in half)
    return tuple(_times(_shift(1), column) for column in both) if size % 2 else both


def _times_x8(crc: int) -> int:
    for _ in range(8):
        crc = crc >> 1 ^ (_REFLECTED if crc & 1 else 0)
    return crc


def _times(matrix: _Matrix, vector: int) -> int:
    product = 0
    for column in matrix:
        if vector & 1:
            product ^= column
        vector >>= 1
    return product
