"""OSS on loopback, its objects on the disk: what clients, jobs and TensorBoard apps of the emulator store and read.

serving      HTTP: spools bodies, runs operations in threads, streams answers
request      the bucket and the key of a request, both addressing styles; signatures: versions 1, 2 and 4
operations   which request is which operation; buckets, listings, objects, multipart: the operations
call         what an operation gets and gives; conditions: If-*, Range; refusal: error answers; xml; times
store        buckets and objects, for the above and for jobs; uploads: those in parts; listing: pages of it
mirror       objects as files for a job, and back; tree: the files of a job that may be hostile
shelf        what happens as a whole, on top of: index: the rows, content: the bytes, checksum: CRC-64
model        what all that is about, as values

What goes wrong on demand is the emulator's (`faults`, `mishaps`): it happens between a client and `serve`.
"""

from pai_jupyter.emulator.oss.refusal import Refusal
from pai_jupyter.emulator.oss.serving import refuse, serve
from pai_jupyter.emulator.oss.store import ObjectStore

__all__ = ["ObjectStore", "Refusal", "refuse", "serve"]
