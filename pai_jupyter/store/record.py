"""job.json: the job as requested. Written once, before submission, and never changed.

Rule 1: it has no secrets. For an environment variable that looks like a credential (`contract.is_secret`) only the name is
    stored, with `MASKED` for the value; other occurrences of the value, as on the cell's magic line, are masked, too. A rerun
    must ask for it or take it from its own environment.
Rule 2: an older version can read a newer record; it ignores unknown fields.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self, cast

from pai_jupyter.cell import LineMap
from pai_jupyter.contract import is_secret
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.spec import JobSpec, Json
from pai_jupyter.typed_json import FieldError, Fields

if TYPE_CHECKING:
    from pai_jupyter.cost import JobPrice

SCHEMA = 1
MASKED = "***"
SHORTEST_SECRET = 8  # characters; shorter values ("true", "cn-1") occur in harmless text


@dataclass(frozen=True, kw_only=True)
class JobRecord:
    """The requested job, its backend and its origin. `created` is in seconds since the epoch."""

    id: str
    spec: JobSpec
    backend: str
    created: float
    cell: str | None = None  # the cell as written, with the magic's line
    notebook: str | None = None  # the notebook's file name, without path
    entry_point: str | None = None  # the script in the package that declares the hyperparameters
    digest: str = ""  # the package's
    fingerprint: str = ""  # equal for the same code, values and target
    place: str = ""  # the target and its reason: "docker (an image is given and an engine answers)"
    asked_by: str = ""  # "pai_train": by the magic; "": by a program, or unknown
    stem: str = ""  # the stem of a generated name: "iris" of "iris-3"
    run: str = ""  # id of the run that it is a try of; "": of none
    step: str = ""  # the path of its step in that run
    given: Mapping[str, Json] | None = (
        None  # backend, image, instances and inputs from line and form; None = not recorded
    )
    lines: LineMap | None = None  # where the script's lines are from, if not all are the cell's
    price: "JobPrice | None" = None  # what it costs, by the prices of the time at which it was submitted; None: unknown

    def to_json(self) -> dict[str, Json]:
        """Return the fields that are set, without secrets."""
        out: dict[str, Json] = {"schema": SCHEMA}
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, JobSpec):
                out[item.name] = _public_spec(value)
            elif isinstance(value, LineMap) or (item.name == "price" and value is not None):
                out[item.name] = value.to_json()
            elif value not in (None, ""):
                out[item.name] = value
        secrets = [value for name, value in self.spec.environments.items() if is_secret(name, value)]
        masked = _mask(out, [value for value in secrets if len(value) >= SHORTEST_SECRET])
        return cast(dict[str, Json], masked)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:  # Any: parsed JSON
        """Read what `to_json` wrote.

        Raises:
            PaiJupyterError: it is damaged, or of a newer version that this one cannot read.
        """
        try:
            given = Fields.of(value)
            names = ("entry_point", "digest", "fingerprint", "place", "asked_by", "stem", "run", "step")
            lines = {name: given.line(name, "") for name in names}
            return cls(
                id=given.line("id"),
                spec=JobSpec.from_json(given.inside("spec").values),
                backend=given.line("backend"),
                created=given.time("created"),
                cell=given.text("cell") if given.has("cell") else None,
                notebook=given.optional_line("notebook"),
                lines=LineMap.from_json(given.inside("lines")) if given.has("lines") else None,
                price=_price(given.inside("price")) if given.has("price") else None,
                given=_given(given.inside("given")) if given.has("given") else None,
                entry_point=lines.pop("entry_point") or None,
                **lines,
            )
        except (FieldError, SpecError) as exc:
            raise damaged("job.json", exc, value) from exc


def _price(given: Fields) -> "JobPrice":
    from pai_jupyter.cost import JobPrice  # late, with `decimal`: few jobs have a price

    return JobPrice.from_json(given)


def _given(given: Fields) -> dict[str, Json]:
    texts = {name: given.optional_line(name) for name in ("backend", "image", "instance_type", "send", "return")}
    found: dict[str, Json] = {name: text for name, text in texts.items() if text is not None}
    if given.has("instance_count"):
        found["instance_count"] = given.whole("instance_count", least=1)
    return {**found, "inputs": {**given.texts("inputs")}}


def damaged(file: str, exc: FieldError | SpecError, value: object) -> PaiJupyterError:
    """Create the error for a damaged `file` with the parsed `value`; `exc` names the field."""
    where = f"in `spec.{exc.field}`: " if isinstance(exc, SpecError) and exc.field else ""
    return PaiJupyterError(f"{file} is damaged: {where}{exc} The logs beside it may still be read.{newer(value)}")


def newer(value: object) -> str:
    """Return a note if the parsed file `value` is of a newer version, else ""."""
    schema = value.get("schema") if isinstance(value, Mapping) else None
    if isinstance(schema, int) and schema > SCHEMA:
        return " A newer pai_jupyter wrote it. Type: %pip install --upgrade pai_jupyter"
    return ""


def _public_spec(spec: JobSpec) -> dict[str, Json]:
    out = spec.to_json()
    if spec.environments:
        out["environments"] = {
            name: MASKED if is_secret(name, text) else text for name, text in spec.environments.items()
        }
    return out


def _mask(value: Json, secrets: list[str]) -> Json:
    """Mask every secret in all texts of `value`."""
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, MASKED)
    elif isinstance(value, list):
        return [_mask(item, secrets) for item in value]
    elif isinstance(value, dict):
        return {name: _mask(item, secrets) for name, item in value.items()}
    return value
