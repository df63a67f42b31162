"""Calls that a statement of another cell may make and still only define something: well known, without side effects.

Rule 1: by their full names, whatever the import calls them: `namedtuple`, `os.path.join`, `Path`, `functools.partial`.
Rule 2: what asks for the hardware (`HARDWARE`) is decided anew in the job, as it is meant: the kernel's answer does not count.
"""

_TYPING = ("NamedTuple", "TypedDict", "TypeVar", "ParamSpec", "TypeVarTuple", "NewType")
HARDWARE = frozenset(
    (
        *("torch.cuda.is_available", "torch.cuda.device_count", "torch.cuda.is_bf16_supported"),
        *("torch.backends.mps.is_available", "torch.backends.mps.is_built", "torch.mps.is_available"),
        *("torch.xpu.is_available", "torch.accelerator.is_available", "tensorflow.test.is_gpu_available"),
    )
)
PURE = HARDWARE | frozenset(
    (
        "collections.namedtuple",
        *(f"{module}.{name}" for module in ("typing", "typing_extensions") for name in _TYPING),
        *(f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")),
        "functools.partial",
        *(f"os.path.{name}" for name in ("join", "basename", "dirname", "normpath")),
        *(f"pathlib.{name}" for name in ("Path", "PurePath", "PurePosixPath")),
        "re.compile",
        "logging.getLogger",
        "torch.device",
    )
)
