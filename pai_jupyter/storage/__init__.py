"""Bytes by address: a local path, or `oss://bucket[.endpoint]/key`. The same promises for both.

transfer   `upload`, `download`: files and directories, unchanged ones skipped
opening    `open_storage(uri)`: the storage at an address; the table of what kinds there are
protocol   `Storage`, `Entry`, `Credentials`: all that the others know of a storage
local      a directory as a storage; oss/ a bucket as one, through the SDK `oss2`
disk       files written whole or not at all, links that lead out
progress   how far a transfer is, how it ends, how it is spread over threads
address    `parse_oss_url`, keys that may be file names, endpoints. No I/O

Rule 1: a file or an object is there whole and verified, or not at all, whatever breaks in between.
Rule 2: a transfer that was killed, cancelled or cut off goes on where it was when it is called again.
Rule 3: keys come from others. None may write outside of the directory that it was meant for.
Rule 4: no secret is logged, and none gets into an exception.
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
