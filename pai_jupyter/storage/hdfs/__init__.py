"""HDFS as a storage, through WebHDFS, over httpx.

address      `hdfs://HOST[:PORT]/path`; `HdfsAccess`: who asks, and where. No I/O
connection   one request to the name node, and its second step at a data node
faults       what WebHDFS and httpx say as our errors
uploading    a file up: a draft, resumed by APPEND, its length checked, renamed
downloading  a file down: a draft, resumed by an offset
storage      the storage itself: `HdfsStorage`

Content goes to and comes from data nodes, at the address that the name node answers with. These addresses are often names of a
network inside the cluster: `HdfsAccess.data_nodes` says how they are reached from here.
"""

from pai_jupyter.storage.hdfs.address import HdfsAccess, HdfsUrl, parse_hdfs_url
from pai_jupyter.storage.hdfs.storage import HdfsStorage

__all__ = ["HdfsAccess", "HdfsStorage", "HdfsUrl", "parse_hdfs_url"]
