"""Store bytes at a local path, at `oss://bucket[.endpoint]/key` or at `hdfs://host/path`, with the same guarantees.

transfer   `upload`, `download`: files and directories, unchanged ones skipped
opening    `open_storage(uri)`: the storage at an address; the table of kinds
protocol   `Storage`, `Entry`, `Credentials`: the interface of a storage
local      a directory as a storage; oss/ a bucket as one, through the SDK `oss2`; hdfs/ through WebHDFS
disk       atomic writes, links that leave the directory
progress   progress of a transfer, cancelling, threads
record     the state of a killed transfer, to resume it; retry: three tries
address    `parse_oss_url`, keys that may be file names, endpoints. No I/O

Rule 1: a file or an object exists complete and verified, or not at all, whatever fails in between.
Rule 2: a transfer that was killed, cancelled or cut off continues where it was when called again.
Rule 3: keys are untrusted. None may write outside its directory.
Rule 4: no secret gets into a log or an exception.
"""

from pai_jupyter.storage.address import OssUrl, parse_oss_url
from pai_jupyter.storage.opening import open_storage
from pai_jupyter.storage.progress import TransferCancelled
from pai_jupyter.storage.protocol import AccessKey, Credentials, Entry, Storage
from pai_jupyter.storage.transfer import download, upload

__all__ = [
    "AccessKey",
    "Credentials",
    "Entry",
    "OssUrl",
    "Storage",
    "TransferCancelled",
    "download",
    "open_storage",
    "parse_oss_url",
    "upload",
]
