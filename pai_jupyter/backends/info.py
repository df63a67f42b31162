"""`BackendInfo`: the properties of a backend, so that other code need not know which backend it is.

A backend has it as the class attribute `info`. Completion and every list of jobs read it, so it must need no heavy import: a
large backend defines a module attribute `INFO` in its entry point's module and imports the class there on demand (PEP 562),
like `pai_jupyter.backends.pai`.

Rule 1: every field except `name` and `title` has the default of a plain remote service.
Rule 2: facts that can change in a process (settings, an engine that starts) are methods that a subclass overrides. Only
    `health(is_asked=True)` may use the network.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pai_jupyter.backends.health import Health
from pai_jupyter.contract import Kind, not_of_kind
from pai_jupyter.spec import JobSpec

if TYPE_CHECKING:
    from pai_jupyter.config import Settings

LOCAL_TYPES = ("local", "local_gpu")
NETWORK, HOST_NETWORK = "network", "host"  # the option of backends whose jobs can have the network of this machine
IMAGE_WORKDIR = "image_workdir"  # the option of backends whose jobs can start in the working directory of their image


class ImageNames(StrEnum):
    """When a backend accepts PAI's short image names (`pytorch:latest-gpu`), which are resolved before submission."""

    NEVER = "never"
    IN_CLOUD = "in_cloud"  # with a session of the cloud, not of an emulator: then they can be pulled
    ALWAYS = "always"


@dataclass(frozen=True, kw_only=True)
class BackendOption:
    """One option `<backend>.<name>` of a job.

    `chosen_because`: if set, a job with this option and no backend runs on the option's backend, for this reason.
    """

    name: str
    help: str
    kind: Kind = "text"
    example: str = ""  # a value
    chosen_because: str = ""


@dataclass(frozen=True, kw_only=True)
class BackendInfo:
    """The properties of a backend.

    Args:
        is_local: jobs run on this machine; the first process that sees them follows them to their end.
        inherits: a sentence about variables that a job has besides its own.
        instance_types: names or patterns (`ecs.*`) of types that only this backend has. Such a backend rejects `local`; a job
        with such a type and no backend runs here. instance_example: an instance type for messages. takes_images: jobs run in
        images. is_automatic: local, and a default for jobs without a chosen backend. has_slots: the setting
        `<backend>.max_parallel` limits how many jobs run at once. takes_cloud_keys: its service uses the key of `%pai_config`.
        fills_request: its options are fields of the training request, which every job finds in training_job.json. emulator: the
        name shown for jobs at an emulator of this backend; "" if it has none. shares_kernel: jobs run as this user, with the
        kernel's Python and its packages. takes_job_files: it has `TakesJobFiles`, and clusters. time_limit: jobs are ended at their
        `max_run_time`, counted in so many seconds (60: in whole minutes), though nobody follows them; 0: that is not said.
    """

    name: str
    title: str
    is_local: bool = False
    inherits: str = ""
    options: tuple[BackendOption, ...] = ()
    instance_types: tuple[str, ...] = ()
    instance_example: str = ""
    takes_images: bool = False
    image_names: ImageNames = ImageNames.NEVER
    is_automatic: bool = False
    has_slots: bool = False
    takes_cloud_keys: bool = False
    fills_request: bool = False
    emulator: str = ""
    shares_kernel: bool = False
    takes_job_files: bool = False
    time_limit: int = 0

    def is_emulated(self, settings: "Settings") -> bool:
        """Return whether jobs go to an emulator now."""
        return False

    @property
    def literal_ml(self) -> bool:
        """Whether scripts see a real directory /ml."""
        return True

    @property
    def has_own_root(self) -> bool:
        """Whether a job can make directories in / that are gone with it."""
        return self.takes_images

    @property
    def emulator_title(self) -> str:
        """The title of its emulator."""
        return f"{self.title} emulator"

    def answers(self) -> bool:
        """Return whether a job could be started now, by a quick check without network."""
        return True

    def health(self, *, is_asked: bool = False) -> Health:
        """Check what jobs need; ask the service over the network only if `is_asked`.

        Raises:
            PaiJupyterError: the settings are invalid.
        """
        return Health()

    def measures(self, spec: JobSpec) -> bool:
        """Return whether what such a job takes of its machine is sampled while it runs (`events.Usage`)."""
        return False

    def secrets(self) -> Collection[str]:
        """Return what this user logs in with at the service, beyond the key of `%pai_config`: no text with it is kept or sent.

        Raises:
            PaiJupyterError: the settings are invalid.
        """
        return ()

    @property
    def named_instances(self) -> Sequence[str]:
        """The entries of `instance_types` that are names, not patterns."""
        return [name for name in self.instance_types if "*" not in name]

    def instances(self) -> Sequence[str]:
        """List the instance types known without a request, for completion; may read the last listing."""
        return self.named_instances

    def has_instance(self, instance_type: str) -> bool:
        """Return whether this is an instance type of this backend only."""
        return any(fnmatchcase(instance_type, pattern) for pattern in self.instance_types)

    def chooser(self, options: Iterable[str]) -> BackendOption | None:
        """Return the option of the first full name that selects this backend, e.g. its quota."""
        given = set(options)
        return next((each for each in self.options if each.chosen_because and self.full_name(each) in given), None)

    def full_name(self, option: BackendOption) -> str:
        """Return the option's name as `--option` and `JobSpec.options` take it."""
        return f"{self.name}.{option.name}"

    def option_problems(self, spec: JobSpec) -> list[str]:
        """Return a sentence for every option in `spec` that this backend lacks or whose value has the wrong type."""
        given = spec.backend_options.get(self.name, {})
        return self.unknown_options(spec) + [
            f"the option {self.full_name(option)} is {given[option.name]!r}; it must be {wanted}."
            for option in self.options
            if option.name in given and (wanted := not_of_kind(option.kind, given[option.name]))
        ]

    def unknown_options(self, spec: JobSpec) -> list[str]:
        """Return a sentence for every option in `spec` with this backend's prefix that it does not have."""
        known = ", ".join(sorted(map(self.full_name, self.options))) or "none"
        names = {option.name for option in self.options}
        return [
            f"backend {self.name!r} has no option '{self.name}.{key}'; it has {known}."
            for key in spec.backend_options.get(self.name, {})
            if key not in names
        ]
