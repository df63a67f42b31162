"""Variables of the kernel as values of a job, and back: `--send X_train,y_train`, `--return model,history`.

    pai_values/    the formats; a package of its own, which is packed beside the job's script
    names          which names may be sent
    script         the lines of train.py that load and save values; no line of the cell moves
    sending        write the kernel's values into the cache of values, by content
    cache          that cache: what is there already is not written again; what no job needs is deleted
    returned       read the channel `returned`, which a job has written and nobody trusts

The values are in files of an input channel, `sent`, and of an output channel, `returned`; never in a package, a record or a log.
"""

from pai_jupyter.values.cache import sweep_values, use_values
from pai_jupyter.values.returned import ReturnedValues, read_returned
from pai_jupyter.values.script import loading_line, module_files, with_values
from pai_jupyter.values.sending import SentValues, described, send_values

__all__ = [
    "ReturnedValues",
    "SentValues",
    "described",
    "loading_line",
    "module_files",
    "read_returned",
    "send_values",
    "sweep_values",
    "use_values",
    "with_values",
]
