"""What the acts of a driver do before they reach a backend."""

from pathlib import Path

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.runs import work
from pai_jupyter.runs.outcomes import Prepared, Refused
from pai_jupyter.runs.plan import JobRequest
from pai_jupyter.runs.run_folder import RunFolder, create_run_folder
from pai_jupyter.spec import JobSpec
from tests.support.run_jobs import marked
from tests.support.run_plans import plan_of, step


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> RunFolder:
    plan = plan_of(step("only", job=marked(tmp_path, "only")))
    return create_run_folder(plan, home=home, now=1.0, random=1, packages={})


@pytest.mark.parametrize(("kind", "count"), [("local_gpu", 1), ("local", None)])
def test_steps_that_run_side_by_side_have_gpus_of_their_own(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch, kind: str, count: int | None
) -> None:
    seen: list[JobSpec] = []

    def draft(spec: JobSpec, *args: object, **kwargs: object) -> None:
        seen.append(spec)
        raise SpecError("enough.")

    monkeypatch.setattr(work, "draft", draft)
    spec = JobSpec(name="job", command="true", instance_type=kind)
    request = JobRequest(spec=spec, backend="process", place="process")
    said = work.submit(folder, Prepared(step="only", job_id="j1", request=request))
    assert isinstance(said, Refused)
    assert [(one.name, one.options.get("local.gpus")) for one in seen] == [("plan.only", count)]
