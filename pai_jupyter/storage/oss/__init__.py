"""A bucket as a storage, through Alibaba's SDK `oss2`, which is imported here alone, and late.

connection   buckets with our signatures, time limits and one pool of connections
storage      the storage itself: `OssStorage`
uploading    large files up, in parts; downloading: objects down; both on top of
parts        where each part lies; checksum: CRC-64
record       what a killed transfer leaves for the next one
retry        three tries
proof        what an answer must have in it
faults       the SDK's exceptions, in our words
secrecy      the SDK's log, without what signs a request

What the SDK does not do, and is done here: it tries nothing twice, leaves a damaged download under its name, logs tokens,
and reports progress that goes backwards.
"""

from pai_jupyter.storage.oss.connection import bucket
from pai_jupyter.storage.oss.storage import OssStorage

__all__ = ["OssStorage", "bucket"]
