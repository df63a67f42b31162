"""The values with which a step becomes a job, in the form that jobs take them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.plan import Given, JobBody
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import Fields, text_of
from pai_jupyter.workflow.planning_graph import check_readable


@dataclass(frozen=True, kw_only=True)
class StepData:
    """The part of `JobBody.data` that all bodies of this package have."""

    image: str | None
    backend: str
    place: str
    environments: Mapping[str, str]
    secrets: tuple[str, ...]

    @classmethod
    def of(cls, body: JobBody) -> "StepData":
        fields = Fields.of(body.data, "data")
        return cls(
            image=fields.line("image", "") or None,
            backend=fields.line("backend"),
            place=fields.line("place"),
            environments=fields.texts("environments"),
            secrets=tuple(text_of(it, path) for it, path in fields.items("secrets")),
        )

    def variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of the job, those that are secrets out of the driver's `environment`.

        Raises:
            SpecError: one is missing.
        """
        missing = [name for name in self.secrets if name not in environment]
        if missing:
            raise SpecError(
                f"the variable {missing[0]} has no value here. Set it, and run again: os.environ[{missing[0]!r}]"
            )
        return {**self.environments, **{name: environment[name] for name in self.secrets}}


def with_system_values(given: Given, *, run_id: str, job_id: str) -> Given:
    """Put the ids of run and job in the place of PAI's `${pai_system_run_id}` and `${pai_system_node_id}`."""
    ids = {"pai_system_run_id": run_id, "pai_system_node_id": job_id}
    known = {f"${{{name}}}": value for name, value in ids.items()}
    known |= {f"${{{name}_underscore}}": value.replace("-", "_") for name, value in ids.items()}

    def replaced(value: Json) -> Json:
        if isinstance(value, str) and "${pai_system_" in value:
            for name, text in known.items():
                value = value.replace(name, text)
        elif isinstance(value, list):
            return [replaced(item) for item in value]
        elif isinstance(value, dict):
            return {name: replaced(item) for name, item in value.items()}
        return value

    return Given(
        parameters={name: replaced(value) for name, value in given.parameters.items()},
        artifacts={name: replaced(value) for name, value in given.artifacts.items()},
    )


def channels(artifacts: Mapping[str, Json]) -> dict[str, str]:
    """Return the inputs of the job: a channel for each artifact, `x_0`, `x_1`, ... for a repeated one.

    Raises:
        SpecError: jobs of this machine cannot read one.
    """
    check_readable(artifacts)
    found: dict[str, str] = {}
    for name, value in artifacts.items():
        if isinstance(value, list):
            found |= {f"{name}_{number}": str(place) for number, place in enumerate(value)}
        else:
            found[name] = str(value)
    return found


def package_of(name: str | None, run_folder: Path) -> Path | None:
    return run_folder / "packages" / name if name else None
