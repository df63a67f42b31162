"""Jobs for tests of runs that are really driven. What a step's job does is in its body's `data`; each start leaves a mark.

`backend` ("process": a few lines of shell; "instant": nothing is run), `marks` (a directory), `mark` (a file in it), `out` (what the job
gives, else its parameter `value`), `fail` (how many of its tries fail), `wait` (a file that it waits for), `sleep` (seconds), `secret`
(a variable that it needs), `package` (its code, of the run's folder), `refuse` (why no job can be made of it), `denied` (a
file: while it is there, its outputs cannot be copied with this key).
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from pai_jupyter.errors import AuthError, PaiJupyterError
from pai_jupyter.runs.plan import DeclaredArtifact, DeclaredParameter, Given, JobBody, JobRequest, Outputs
from pai_jupyter.spec import JobSpec, Json

ADDRESS = "tests.support.run_jobs:MarkedJobs"


class MarkedJobs:
    """Builds the jobs."""

    def prepare(
        self, body: JobBody, given: Given, *, job_id: str, run_folder: Path, environment: Mapping[str, str]
    ) -> JobRequest:
        data, backend = body.data, str(body.data["backend"])
        if data.get("refuse"):
            raise PaiJupyterError(str(data["refuse"]))
        if data.get("secret"):
            assert environment[str(data["secret"])]
        name = re.sub(r"[^\w.-]", "-", str(given.parameters.get("item", "")))
        mark = Path(str(data["marks"])) / f"{data['mark']}{name}.started"
        value = re.sub(r"[^\w.-]", "", str(given.parameters.get("value", data.get("out", "done"))))
        make = _shell if backend == "process" else _json
        spec = JobSpec(
            name=body.title,
            command=make(data, mark, mark.with_name(f"{job_id}.out"), job_id, value),
            instance_type="local" if backend == "process" else "instant",
        )
        package = run_folder / "packages" / str(data["package"]) if data.get("package") else None
        return JobRequest(
            spec=spec,
            backend=backend,
            place=f"{backend} (asked for)",
            package=package,
            is_remote=backend != "process",
        )

    def collect(self, body: JobBody, given: Given, *, job_id: str, run_folder: Path) -> Outputs:
        if _is_denied(body):
            raise AuthError("the store refuses this key.", code=Path(str(body.data["denied"])).read_text())
        file = Path(str(body.data["marks"])) / f"{job_id}.out"
        if not file.exists():
            raise PaiJupyterError("output `out` is missing")
        places = {"model": str(file)} if body.output_artifacts else {}
        return Outputs(parameters={"out": file.read_text().strip()}, artifacts=places)


def _is_denied(body: JobBody) -> bool:
    return bool(body.data.get("denied")) and Path(str(body.data["denied"])).exists()


def _shell(data: Mapping[str, Json], mark: Path, out: Path, job_id: str, value: str) -> str:
    lines = [f"echo {job_id} >> {mark}"]
    if data.get("wait"):
        lines.append(f"while [ ! -e {data['wait']} ]; do sleep 0.05; done")
    if data.get("sleep"):
        lines.append(f"sleep {data['sleep']}")
    if data.get("fail"):
        lines.append(f"[ $(wc -l < {mark}) -gt {data['fail']} ] || exit 3")
    return "\n".join([*lines, f"echo {value} > {out}.tmp && mv {out}.tmp {out}"])


def _json(data: Mapping[str, Json], mark: Path, out: Path, job_id: str, value: str) -> str:
    kept = {name: data[name] for name in ("wait", "fail") if name in data}
    return json.dumps({**kept, "mark": str(mark), "out": str(out), "value": value})


def marked(
    marks: Path, mark: str, *inputs: str, backend: str = "instant", is_giving_model: bool = False, **data: Json
) -> JobBody:
    """A job with these inputs that leaves a line with its id in `marks`/`mark`.started, with its parameter `item` in the name."""
    return JobBody(
        builder=ADDRESS,
        data={"backend": backend, "marks": str(marks), "mark": mark, **data},
        title=mark,
        digest=f"{mark} {json.dumps(data, sort_keys=True)}",
        parameters=tuple(DeclaredParameter(name=name) for name in inputs),
        artifacts=(DeclaredArtifact(name="data"),),
        output_parameters=(DeclaredParameter(name="out"),),
        output_artifacts=(DeclaredArtifact(name="model"),) if is_giving_model else (),
    )


def starts(marks: Path) -> dict[str, list[str]]:
    """The ids of the jobs that have started, by mark."""
    return {path.stem: path.read_text().split() for path in sorted(marks.glob("*.started"))}


def counts(marks: Path) -> dict[str, int]:
    return {mark: len(found) for mark, found in starts(marks).items()}
