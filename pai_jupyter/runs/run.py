"""`Run`: the user's handle of a run, and how runs are started, found, watched and deleted. All data are in the run's folder.

start_run     write a run down and start its driver      attach_run   find one again, and see to it that it is driven
list_runs     a row each                                 delete_run   with its folder; its jobs stay
RunWatcher    for live views: what has changed
"""

import secrets
import shutil
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from pai_jupyter.config import refuse_secret_cell, refuse_secrets
from pai_jupyter.errors import JobDetached, NotFoundError, PaiJupyterError
from pai_jupyter.jobs import Job
from pai_jupyter.runs.driving import DriverKeeper, is_driven, missing_secrets, start_driver
from pai_jupyter.runs.kernel_settings import kernel_settings
from pai_jupyter.runs.level import check_graph
from pai_jupyter.runs.plan import Outputs, Plan
from pai_jupyter.runs.plan_json import plan_to_json
from pai_jupyter.runs.reading import RunReader
from pai_jupyter.runs.rerunning import plan_again, steps_behind
from pai_jupyter.runs.run_folder import About, RunFolder, create_run_folder, open_run_folder
from pai_jupyter.runs.state import RunState, RunStatus, ended
from pai_jupyter.spec import Json
from pai_jupyter.store import JobStore

STOP_HEARD = 10.0  # seconds
WAIT_SLICE = 0.2  # seconds between two looks at the files of a run


class Run:
    """One execution of a plan, returned by `start_run` and `attach_run`.

    Example:
        >>> from pai_jupyter import CustomJobComponent, Pipeline
        >>> step = CustomJobComponent(command="true").as_step("only")
        >>> run = Pipeline(steps=[step]).local_run("demo", backend="process")
        >>> [(step.name, str(step.status)) for step in run.state.steps]
        [('only', 'succeeded')]
    """

    def __init__(self, folder: RunFolder, environment: Mapping[str, str] | None = None) -> None:
        self._folder = folder
        self._environment = dict(environment or {})  # values of secrets, for a driver that is started again

    def __repr__(self) -> str:
        return f"<Run {self.id} {self.name!r} {self.state.status}>"

    @property
    def id(self) -> str:
        return self._folder.id

    @property
    def name(self) -> str:
        return self.plan.name

    @property
    def folder(self) -> Path:
        return self._folder.path

    @property
    def plan(self) -> Plan:
        return self._folder.record.plan

    @cached_property
    def _reader(self) -> RunReader:
        return RunReader(self._folder)

    @cached_property
    def _keeper(self) -> DriverKeeper:
        return DriverKeeper(self._folder, self._environment)

    @property
    def state(self) -> RunState:
        """How the run stands now.

        Raises:
            PaiJupyterError: its files are damaged; NotFoundError: it was deleted.
        """
        self._reader.refresh()
        return self._reader.state()

    @property
    def outputs(self) -> Outputs:
        """What the run gave: the outputs of its pipeline."""
        state = self.state
        return Outputs(parameters=state.parameters, artifacts=state.artifacts)

    @property
    def jobs(self) -> list[Job]:
        """The jobs of the run, in the order of their beginning; those whose folder is deleted are left out."""
        self._reader.refresh()
        store, found = JobStore(self._folder.home), []
        for job_id in self._reader.job_ids():
            with suppress(NotFoundError):
                found.append(Job(store.open(job_id)))
        return found

    def keep_driven(self) -> None:
        """Start the driver again if nobody drives the run and it has not ended; cheap, and seldom more than a look at the files.

        Raises:
            PaiJupyterError: the driver does not start.
        """
        state = self.state
        if not state.status.is_terminal:
            self._keeper.keep(is_blocked=state.status is RunStatus.BLOCKED)

    def wait(self, timeout: float | None = None) -> RunState:
        """Wait for the end (at most `timeout` seconds) and return how the run stands.

        Raises:
            RunFailed, RunStopped: it failed or was stopped.
            JobDetached: the wait was interrupted; the run goes on.
            TimeoutError: it has not ended yet.
            PaiJupyterError: it waits for a secret that this process does not have, or for another key, or its driver does not start.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            while self._goes_on():
                left = WAIT_SLICE if deadline is None else deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"run {self.id} has not ended within {timeout:g} seconds")
                time.sleep(min(WAIT_SLICE, left))
        except KeyboardInterrupt:
            raise JobDetached(
                f'interrupted; run {self.id} goes on. To wait again, type: attach_run("{self.id}").wait()'
            ) from None
        return ended(self.state)

    def _goes_on(self) -> bool:
        """Return whether the run has not ended, and see to it that it is driven."""
        self._reader.refresh_journal()
        if self._reader.has_ended:
            return False
        is_blocked = self._reader.is_blocked
        self._keeper.keep(is_blocked=is_blocked, is_refused=self._reader.is_refused)
        if not is_blocked or self._folder.is_stop_wanted:
            return True
        if missing_secrets(self._folder, self._environment) or self._is_given_up():
            raise PaiJupyterError(f"run {self.id} does not go on: {self.state.reason}")
        return True

    def _is_given_up(self) -> bool:
        """Return whether the last driver has ended because a step needs another key."""
        if not self._reader.is_refused or is_driven(self._folder):
            return False
        self._reader.refresh_journal()
        return self._reader.is_refused

    def stop(self) -> None:
        """Ask for the run to be stopped: nothing more starts, and its jobs are stopped. Returns when that was heard.

        Raises:
            PaiJupyterError: that cannot be written down, or its driver does not start.
        """
        if self.state.status.is_terminal:
            return
        self._folder.want_stop()
        deadline = time.monotonic() + STOP_HEARD
        while time.monotonic() < deadline:
            self.keep_driven()  # a driver that was about to end has not seen it
            state = self.state
            if state.is_stopping or state.status.is_terminal:
                return
            time.sleep(WAIT_SLICE)

    def rerun(
        self, *, from_step: str | None = None, environment: Mapping[str, str] | None = None, **values: Json
    ) -> "Run":
        """Start a run of the same plan, which takes over from this one what is unchanged: code, values and input files.

        `from_step` (a path, e.g. "train" or "nested/train") and all that depends on it run in any case. `values` replace those of
        the run's inputs. `environment`: the values of its secrets, if they are not in this process's environment.

        Raises:
            SpecError: there is no such step, or a value is wrong.
        """
        plan = plan_again(self.plan, values)
        anew = steps_behind(plan, from_step) if from_step is not None else ()
        packages = (
            {path.name: path for path in self._folder.packages.iterdir()} if self._folder.packages.is_dir() else {}
        )
        record = self._folder.record
        return _start(
            plan,
            packages=packages,
            environment={**self._environment, **(environment or {})},
            home=self._folder.home,
            notebook=record.notebook,
            cell=record.cell,
            directory=record.directory,
            python=record.python,
            settings={**record.settings, **kernel_settings()},
            earlier=self.id,
            anew=anew,
        )


def start_run(
    plan: Plan,
    *,
    packages: Mapping[str, Path] | None = None,
    environment: Mapping[str, str] | None = None,
    notebook: str = "",
    cell: str = "",
    home: Path | None = None,
) -> Run:
    """Write a run down and start the process that drives it; it goes on without this process.

    `packages`: tar.gz files, copied into the run's folder under these names. `environment`: values of the secrets that the plan
    names; they are in the environment of the driver alone. `home`: another place than $PAI_JUPYTER_HOME.

    Raises:
        SpecError: the plan is wrong.
        PaiJupyterError: nothing was started.
    """
    return _start(
        plan,
        packages=packages or {},
        environment=environment or {},
        home=home,
        notebook=notebook,
        cell=cell,
        directory=str(Path.cwd()),
        python=sys.executable,
        settings=kernel_settings(),
    )


def _start(
    plan: Plan,
    *,
    packages: Mapping[str, Path],
    environment: Mapping[str, str],
    home: Path | None,
    **about: About,
) -> Run:
    check_graph(plan)
    _refuse_secrets(plan, str(about.get("cell", "")), environment)
    folder = create_run_folder(
        plan,
        home=home,
        now=time.time(),
        random=secrets.randbits(64),
        packages=packages,
        **about,
    )
    try:
        start_driver(folder, environment)
    except BaseException:
        if not folder.journal.exists():
            shutil.rmtree(folder.path, ignore_errors=True)
        raise
    return Run(folder, environment)


def _refuse_secrets(plan: Plan, cell: str, environment: Mapping[str, str]) -> None:
    """Refuse what run.json would keep in clear; `environment`: secrets of the run, which its driver knows as well."""
    refuse_secret_cell(cell)
    values = [("name", plan.name), *plan.parameters.items(), *plan.artifacts.items()]
    refuse_secrets([*values, ("plan", plan_to_json(plan))], more=environment.values())


def attach_run(run_id: str, *, environment: Mapping[str, str] | None = None, home: Path | None = None) -> Run:
    """Find a run by its id or the beginning of it; start its driver again if nobody drives it.

    `environment`: values of secrets that the run waits for; those in this process's environment need not be given.

    Raises:
        NotFoundError: there is no such run.

    Example:
        >>> from pai_jupyter import CustomJobComponent, Pipeline
        >>> step = CustomJobComponent(command="true").as_step("only")
        >>> run = Pipeline(steps=[step]).local_run("demo", backend="process")
        >>> str(attach_run(run.id).wait().status)
        'succeeded'
    """
    run = Run(open_run_folder(run_id, home), environment)
    run.keep_driven()
    return run
