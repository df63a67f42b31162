"""Scalars out of TensorBoard event files while they grow. Standard library only: no protobuf, no TensorBoard.

frames     how records lie in a file: lengths and their checksums
messages   what a record says: `Event`, `Summary` and tensor messages, as TensorFlow, PyTorch and tensorboardX write them
block      a piece of a file, quickly: columns by tag
reading    one file: `read_scalars`
directory  all event files below a directory, a little at each call: `EventDirectory`

Rule 1: a file that somebody writes ends anywhere. A torn tail is no error: the next call begins there.
Rule 2: whatever the bytes say, a reading ends, takes memory for one block, and gives what could be read; what was wrong
    is a sentence beside it. Only a file that cannot be opened is an error.
Rule 3: nothing is taken back. TensorBoard hides what a run wrote before it restarted from an older step; here a series
    is what was written, in that order.
"""

from pai_jupyter.tfevents.block import Columns
from pai_jupyter.tfevents.directory import EventDirectory, EventNews
from pai_jupyter.tfevents.reading import Scalars, read_scalars

__all__ = ["read_scalars", "Columns", "Scalars", "EventDirectory", "EventNews"]
