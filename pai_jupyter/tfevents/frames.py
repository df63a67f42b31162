"""The frames of records in an event file (TFRecord).

    length of the data   u64      } the head
    checksum of those 8  u32      }
    data
    checksum of the data u32

A checksum is a CRC-32C, rotated and shifted ("masked"). The standard library has none, and in Python it costs 0.1 us a byte. So
only the head's is verified, which detects a torn, overwritten or foreign file at once. Damaged data in an intact frame affects
only its own record and is noticed, if at all, by parsing.
"""

from struct import Struct

HEAD = 12  # bytes before the data
CHECKSUM = 4  # bytes behind the data
FRAME = HEAD + CHECKSUM
MAX_LENGTH = 2**31  # bytes of one message; protobuf's limit
_HEAD = Struct("<QI")
_POLYNOMIAL = 0x82F63B78  # Castagnoli's, bits reversed


def data_length(head: bytes) -> int | None:
    """Return the length in bytes of the data after this head; None if these 12 bytes are not a record's head."""
    length, checksum = _HEAD.unpack(head)
    return length if length < MAX_LENGTH and checksum == _masked(_crc32c(head[:8])) else None


def _table_entry(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
    return byte


_TABLE = tuple(map(_table_entry, range(256)))


def _crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def _masked(crc: int) -> int:
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
