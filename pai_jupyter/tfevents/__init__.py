"""Read scalars from growing TensorBoard event files. Standard library only: no protobuf, no TensorBoard.

frames     the framing of records: lengths and checksums
messages   the content of a record: `Event`, `Summary` and tensor messages of TensorFlow, PyTorch and tensorboardX
block      fast reading of a piece of a file to columns by tag
reading    one file: `read_scalars`
directory  all event files below a directory, in small steps: `EventDirectory`

Rule 1: a file being written may end anywhere. An incomplete record is not an error: the next call starts there.
Rule 2: for any bytes, reading ends, uses memory for one block and returns what could be read, with a notice about damage. Only
    a file that cannot be opened is an error.
Rule 3: a series has all points in the order written. TensorBoard hides points from before a restart at an older step; this does
    not.
"""

from pai_jupyter.tfevents.block import Columns
from pai_jupyter.tfevents.directory import EventDirectory, EventNews
from pai_jupyter.tfevents.reading import Scalars, read_scalars

__all__ = ["read_scalars", "Columns", "Scalars", "EventDirectory", "EventNews"]
