"""`BackendInfo`: what the rest of the package asks about a backend instead of asking which one it is.

A backend gives it as the class attribute `info`. It is asked often, by completion and by every list of jobs, so it must
cost no heavy import: a large backend declares a module attribute `INFO` in the module that its entry point names, and
imports the class there only when somebody asks for it (PEP 562), as `pai_jupyter.backends.pai` does.

Rule 1: every field but `name` and `title` has a default, the one of a plain remote service.
Rule 2: what changes while a process lives (settings, an engine that starts) is a method; a backend overrides it in a
    subclass. Only `health(is_asked=True)` may use a network.
"""

from collections.abc import Iterable, Sequence
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


class ImageNames(StrEnum):
    """When a backend takes PAI's short names of images (`pytorch:latest-gpu`), which are resolved before submission."""

    NEVER = "never"
    IN_CLOUD = "in_cloud"  # where a session of the cloud, not of an emulator, is set up: then they can be pulled
    ALWAYS = "always"


@dataclass(frozen=True, kw_only=True)
class BackendOption:
    """One option `<backend>.<name>` of a job.

    `chosen_because` is the reason of a job that gives this option and no backend: it runs on the option's backend.
    """

    name: str
    help: str
    kind: Kind = "text"
    example: str = ""  # a value
    chosen_because: str = ""


@dataclass(frozen=True, kw_only=True)
class BackendInfo:
    """What a backend is and takes.

    Args:
        is_local: jobs run on this machine; they are followed to their end by whoever sees them first.
        inherits: a sentence on the variables a job has besides its own.
        instance_types: names, or patterns like `ecs.*`, of machines that only this backend has; one with such types
            refuses `local`, and a job of such a type that names no backend runs here.
        instance_example: a machine to name in sentences.
        takes_images: jobs run in images.
        is_automatic: of this machine, and chosen for jobs for which nothing was said.
        has_slots: the setting `<backend>.max_parallel` limits how many jobs run at once.
        takes_cloud_keys: its service is asked with the key of `%pai_config`.
        fills_request: options are fields of the training request, which every job finds in its configuration.
        emulator: what the place of a job is called that runs at an emulator of this backend; "" where there is none.
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

    def is_emulated(self, settings: "Settings") -> bool:
        """Tell whether a job goes to an emulator now."""
        return False

    @property
    def literal_ml(self) -> bool:
        """Whether scripts see a real directory /ml."""
        return True

    @property
    def emulator_title(self) -> str:
        """What people call its emulator."""
        return f"{self.title} emulator"

    def answers(self) -> bool:
        """Tell whether a job could be started now, as far as this machine knows; quick, and without a network."""
        return True

    def health(self, *, is_asked: bool = False) -> Health:
        """Check what jobs need; the service is asked over the network only when `is_asked`.

        Raises:
            PaiJupyterError: the settings say something impossible.
        """
        return Health()

    @property
    def named_instances(self) -> Sequence[str]:
        """The machines that `instance_types` names one by one."""
        return [name for name in self.instance_types if "*" not in name]

    def instances(self) -> Sequence[str]:
        """List the machines that are known without asking a service, for completion; may read what was listed last."""
        return self.named_instances

    def has_instance(self, instance_type: str) -> bool:
        """Tell whether only this backend has such a machine."""
        return any(fnmatchcase(instance_type, pattern) for pattern in self.instance_types)

    def chooser(self, options: Iterable[str]) -> BackendOption | None:
        """Return the first of these full option names that means this backend, e.g. a quota of it."""
        given = set(options)
        return next((each for each in self.options if each.chosen_because and self.full_name(each) in given), None)

    def full_name(self, option: BackendOption) -> str:
        """Return the option's name as `--option` and `JobSpec.options` take it."""
        return f"{self.name}.{option.name}"

    def option_problems(self, spec: JobSpec) -> list[str]:
        """Return a sentence for every option in `spec` that this backend lacks or that is of another kind."""
        given = spec.backend_options.get(self.name, {})
        return self.unknown_options(spec) + [
            f"the option {self.full_name(option)} is {given[option.name]!r}; it must be {wanted}."
            for option in self.options
            if option.name in given and (wanted := not_of_kind(option.kind, given[option.name]))
        ]

    def unknown_options(self, spec: JobSpec) -> list[str]:
        """Return a sentence for every option of this backend in `spec` that it does not have."""
        known = ", ".join(sorted(map(self.full_name, self.options))) or "none"
        names = {option.name for option in self.options}
        return [
            f"backend {self.name!r} has no option '{self.name}.{key}'; it has {known}."
            for key in spec.backend_options.get(self.name, {})
            if key not in names
        ]
