"""Programs of the tests as steps of PAIFlow's runs at an emulator, for the contract of backends."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from pai_jupyter.spec import JobRef
from pai_jupyter.workflow.remote import RemoteRun, run_remote
from tests.support.emulators import BUCKET
from tests.support.flows import Document, custom_job, job_config, pipeline, step
from tests.support.patience import DEADLINE
from tests.support.programs import Program


@dataclass
class StartedSteps:
    """Starts each program as the only step of a run."""

    folder: Path
    runs: list[RemoteRun] = field(default_factory=list)

    async def start(self, program: Program, *, gate: Path | None) -> JobRef:
        """Start a run; the ref of its step's job."""
        package = await asyncio.to_thread(program.pack, self.folder / f"{len(self.runs)}.tar.gz")
        job = custom_job(str(package.path), "train.py", guid="c")
        if gate is not None:
            envs(job)["PROBE_GATE"] = str(gate)
        given: Document = {
            "job_config": job_config(),
            "output_path": f"oss://{BUCKET}/contract/{self.folder.name}/{len(self.runs)}/",
        }
        documents = [job, pipeline(step("train-a", "c", parameters=given))]
        run = await asyncio.to_thread(lambda: run_remote(documents, name="a"))
        self.runs.append(run)
        async with asyncio.timeout(DEADLINE):
            while not (found := await asyncio.to_thread(lambda: run.jobs)):  # noqa: ASYNC110  a service sets no event
                await asyncio.sleep(0.05)
        ref = found[0].folder.read().ref
        assert ref is not None
        return ref

    async def end(self) -> None:
        for run in self.runs:
            await asyncio.to_thread(run.stop)


def envs(job: Document) -> Document:
    found = job["spec"]["container"]["envs"]  # type: ignore[index, call-overload]  # JSON of `custom_job`
    assert isinstance(found, dict)
    return found
