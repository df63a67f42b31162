"""A bucket as a storage, through Alibaba's SDK `oss2`, which only this package imports, and late.

connection   buckets with our signatures, time limits and one pool of connections
storage      the storage itself: `OssStorage`
uploading    large files up, in parts; downloading: objects down; both on top of
parts        the byte ranges of parts; checksum: CRC-64
retry        three tries of the SDK's calls
proof        the checks of an answer
faults       the SDK's exceptions as our errors
secrecy      the SDK's log without signatures and tokens

This package makes up for the SDK, which does not retry, leaves a damaged download under its final name, logs tokens, and
reports progress that goes backwards.
"""

from pai_jupyter.storage.oss.connection import bucket
from pai_jupyter.storage.oss.storage import OssStorage

__all__ = ["OssStorage", "bucket"]
