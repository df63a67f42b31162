"""Answer questions about GPUs by NVML, until nobody can ask any more: `python nvml_reader.py DIRECTORY [GPU...]`.

DIRECTORY has the package `nvidia-ml-py`. A question is an empty line. An answer is a line for each GPU, as `nvidia-smi` writes
them (load in percent, used and all memory in MiB), and an empty line. Without NVML it ends, and says nothing.
"""

import sys

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from typing import Any

MIB = 1024 * 1024


def main() -> None:
    sys.path.append(sys.argv[1])
    import pynvml  # type: ignore[import-not-found]  # an extra

    pynvml.nvmlInit()
    handles = _handles(pynvml, sys.argv[2:])
    while sys.stdin.readline():
        lines = [_line(pynvml, handle) for handle in handles]
        sys.stdout.write("".join(f"{line}\n" for line in lines) + "\n")
        sys.stdout.flush()


def _handles(nvml: "Any", names: "list[str]") -> "list[Any]":  # Any: the package is untyped
    if not names:
        return [nvml.nvmlDeviceGetHandleByIndex(number) for number in range(nvml.nvmlDeviceGetCount())]
    by_number, by_uuid = nvml.nvmlDeviceGetHandleByIndex, nvml.nvmlDeviceGetHandleByUUID
    return [by_number(int(name)) if name.isdigit() else by_uuid(name) for name in names]


def _line(nvml: "Any", handle: "Any") -> str:  # Any: as above
    """Return one GPU's values; what it does not report (load of a MIG instance) is `-`."""
    load = memory = whole = "-"
    try:
        load = str(nvml.nvmlDeviceGetUtilizationRates(handle).gpu)
    except nvml.NVMLError:
        pass
    try:
        found = nvml.nvmlDeviceGetMemoryInfo(handle)
        memory, whole = str(found.used // MIB), str(found.total // MIB)
    except nvml.NVMLError:
        pass
    return f"{load}, {memory}, {whole}"


if __name__ == "__main__":
    main()
