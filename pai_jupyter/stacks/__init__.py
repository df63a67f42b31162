"""What Python processes of this machine do right now: their stacks, and where they spend some seconds. By `py-spy`.

    python_processes  which of some PIDs are Python
    py_spy            run `py-spy`, and say in one sentence why it cannot look at a process
    frames            its dump as threads with frames; the lines of the job's own script are told as those of the cell
    thread_states     which threads wait, where `py-spy` cannot tell
    recording         record several processes for some seconds, to be asked how far it is, and to be ended at any time
    flames            recorded samples as one tree
    texts             both as text

Rule 1: a job is never disturbed: a dump pauses its process for some milliseconds, a recording does not. What `py-spy` may take
    is limited in time, and it ends with the process that started it.
Rule 2: values of variables and command lines are never read: they hold secrets.
Rule 3: names of functions and files are the job's, so they are hostile; whoever shows them cleans them.
"""

from pai_jupyter.stacks.flames import Flame, FlameNode, flame_of
from pai_jupyter.stacks.frames import ProcessStacks, ScriptLines, StackFrame, ThreadStack
from pai_jupyter.stacks.py_spy import check_py_spy, dump, is_here
from pai_jupyter.stacks.python_processes import python_processes
from pai_jupyter.stacks.recording import LONGEST, Recording
from pai_jupyter.stacks.texts import flame_text, stacks_text

__all__ = [
    "LONGEST",
    "Flame",
    "FlameNode",
    "StackFrame",
    "ProcessStacks",
    "Recording",
    "ScriptLines",
    "ThreadStack",
    "check_py_spy",
    "dump",
    "flame_of",
    "flame_text",
    "is_here",
    "python_processes",
    "stacks_text",
]
