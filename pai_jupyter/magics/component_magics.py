"""`%%pai_component`: a cell as a custom component. `%pai_component`: components on disk and in the workspace."""

import os
from argparse import Namespace
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, argument_group, magic_arguments
from IPython.display import display

from pai_jupyter import component as components
from pai_jupyter.cloud.session import need_session
from pai_jupyter.component import Component, SavedComponent, panel
from pai_jupyter.component.cell import of_cell, of_source
from pai_jupyter.component.component import without_login
from pai_jupyter.component.line import cell_options, component_of, described, run_of
from pai_jupyter.component.line_checks import check_made, check_new, check_nothing, check_registered
from pai_jupyter.component.names import component_name_problem, in_order, next_of
from pai_jupyter.component.recheck import check_unchanged
from pai_jupyter.component.registry import registered_versions
from pai_jupyter.component.running import drafted, start_registered
from pai_jupyter.component.saved import SUFFIXES, load_named, saved_versions, store
from pai_jupyter.config import settings
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import Job, detaching
from pai_jupyter.magics.component_text import component_lines, component_table, noted, say
from pai_jupyter.magics.history import notebook_state
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.train_magics import notebook_name
from pai_jupyter.training import DEFAULT_ENTRY_POINT, read_training, variable
from pai_jupyter.view import check_live, front_end, said, show_job


@magics_class
class ComponentMagics(Magics):
    """`%%pai_component` and `%pai_component`."""

    shell: Any  # IPython sets it

    @no_var_expand
    @magic_arguments()
    @argument("name", nargs="?", help="name of the component, or the file of a saved one")
    @argument_group("what to do")
    @argument(
        "--save", nargs="?", const="", metavar="FILE", help="save it to a YAML file (default: among your components)"
    )
    @argument("--register", action="store_true", help="register it in the workspace of PAI")
    @argument("--run", action="store_true", help="run it as a job")
    @argument("--delete", action="store_true", help="delete the version, without --version all of them")
    @argument("--registered", action="store_true", help="take the registered one, though one of this name is saved")
    @argument("-y", "--yes", action="store_true", help="do not ask for confirmation")
    @argument("--accept-changes", action="store_true", help="take a saved component although code or image has changed")
    @argument(
        "--wait",
        action="store_true",
        default=None,
        help="return at the end of the job (the default without a front end)",
    )
    @argument("--no-wait", action="store_false", dest="wait", help="return at once (the default in a notebook)")
    @argument("--widget", action="store_true", help="show the job as a widget, over the kernel instead of the server")
    @argument("--as", dest="variable", metavar="VAR", help="store the Job under this name (default: _pai)")
    @argument_group("the component")
    @argument("--version", metavar="X.Y.Z", help="its version (default: the next)")
    @argument("--description", metavar="TEXT", help="what the component does")
    @argument("--version-description", metavar="TEXT", help="what is new in this version")
    @argument("--job-type", metavar="TYPE", help="TFJob, PyTorchJob, XGBoostJob, ElasticBatchJob")
    @argument("--image", metavar="REF", help="the image of the container")
    @argument("--command", metavar="TEXT", help="the command (default: the script with all parameters and channels)")
    @argument("--machine", metavar="CPU|GPU", help="the machines that it needs (default: any)")
    @argument("--one-machine", action="store_true", help="it does not run on several machines")
    @argument("--several-cards", action="store_true", help="it uses several GPUs of a machine")
    @argument_group("data and values")
    @argument(
        "-i",
        "--input",
        "--inputs",
        action="append",
        metavar="NAME[:STORAGES][=URI]",
        help="an input channel; URI is for --run",
    )
    @argument(
        "-o",
        "--output",
        "--outputs",
        action="append",
        metavar="NAME[:STORAGE][=URI]",
        help="an output channel; URI is for --run",
    )
    @argument("-p", "--param", action="append", metavar="NAME=VALUE", help="a value of a parameter, for --run")
    @argument("--output-path", metavar="URI", help="where all outputs go, for --run")
    @argument_group("code")
    @argument(
        "--source-dir",
        "--source",
        metavar="DIR",
        help="a directory, oss://BUCKET/DIR/, or the address of a Git repository",
    )
    @argument("--branch", metavar="NAME", help="the branch of the repository")
    @argument("--commit", metavar="ID", help="the commit of the repository")
    @argument("--entry-point", metavar="FILE", help="the script's name in the package (default: train.py)")
    @argument("--only-cell", action="store_true", help="take nothing along from other cells of the notebook")
    @argument(
        "--leave-out",
        action="append",
        metavar="NAME",
        help="a name that is not taken from other cells: Net, or Net,train",
    )
    @argument("--include", action="append", metavar="PATH", help="a file or directory that is packed too")
    @argument("--requirements", metavar="auto|none|FILE", help="auto: %%pip lines and requirements.txt (default)")
    @argument_group("where")
    @argument("--backend", metavar="NAME", help="process, docker, ...; automatic when left out")
    @argument("--instance-type", metavar="TYPE", help="local, local_gpu, or a type of PAI")
    @argument("--instance-count", metavar="N", help="number of replicas")
    @argument("--max-time", metavar="TIME", help="end the job after this time: 90s, 30m, 2h")
    @argument("--env", action="append", metavar="K=V", help="an environment variable of the job")
    @argument("--option", action="append", metavar="BACKEND.KEY=VALUE", help="e.g. docker.memory=4g")
    @line_cell_magic
    def pai_component(self, line: str, cell: str | None = None) -> None:
        """Make a custom component of this cell: code, image, channels and parameters under a name and a version.

        The cell is completed as by %%pai_train, and its hyperparameters become parameters. Without --save, --register or --run
        the component is checked and shown. %pai_component alone lists components; with the name or the file of a saved
        one, the name of a registered one or --source-dir it does the same for these.

        Examples::

            %%pai_component iris -i train -o model --image pytorch:latest --save iris.yaml
            %pai_component iris.yaml --run -i train=./iris.csv -p lr=0.01
            %pai_component iris --run --version 1.0.0 --instance-type ecs.c6.large -i train=oss://emulator/data/
        """
        given = parse(self.pai_component, expand(line, self.shell.user_ns))
        variable(given.variable or "_pai")
        check_live(as_widget=given.widget)
        if cell is not None:
            self._cell(given, f"%%pai_component {given.name}\n{cell}")  # the line may hold a login
        elif given.name is None:
            check_nothing(given)
            display(component_table())
        elif Path(given.name).suffix in SUFFIXES:
            self._file(given)
        elif given.source_dir is not None:
            self._directory(given)
        else:
            self._named(given)

    def _cell(self, given: Namespace, text: str) -> None:
        _need_name(given)
        check_new(given, is_cell=True)
        names = self.shell.user_ns
        declared = component_of(given, version=_version(given))
        training = read_training(
            cell_options(given),
            text,
            settings(),
            notebook=notebook_name(names, os.environ),
            state=None if given.only_cell else notebook_state(self.shell),
            namespace=names,
        )
        read = of_cell(declared, training)
        self._do(given, SavedComponent(component=read.component), list(read.notes), is_made=False)

    def _directory(self, given: Namespace) -> None:
        check_new(given, is_cell=False)
        declared = component_of(given, version=_version(given))
        read = of_source(declared, given.entry_point or DEFAULT_ENTRY_POINT)
        self._do(given, SavedComponent(component=read.component), list(read.notes), is_made=False)

    def _file(self, given: Namespace) -> None:
        check_made(given, is_file=True)
        saved = components.load(given.name)
        if given.source_dir is not None:
            saved = replace(saved, component=_with_login(saved.component, given))
        self._do(given, saved, [])

    def _named(self, given: Namespace) -> None:
        """Take the saved component of this name, else the registered one."""
        versions = saved_versions().get(given.name, [])
        if versions and not given.registered and given.version in (None, *versions):
            if given.delete:
                self._delete_saved(given, versions)
                return
            check_made(given, is_file=False)
            self._do(given, load_named(given.name, given.version), [])
        else:
            _need_registry(given.name)
            self._registered(given)

    def _do(self, given: Namespace, saved: SavedComponent, notes: list[str], *, is_made: bool = True) -> None:
        """Save, register and run, as asked for; else show. All of it is checked before any of it is done."""
        if given.delete:
            raise SpecError("`--delete` takes the name of a component: %pai_component NAME --delete", field="--delete")
        if not (given.save is not None or given.register or given.run):
            say(*component_lines(saved, notes))
            return
        with drafted(saved, run_of(given)) if given.run else nullcontext() as ready:
            if given.save is not None or given.register:
                say(*noted([*notes, *([] if given.run else saved.notes)]))
                notes = []
                self._keep(given, saved, is_made=is_made)
            job = ready.submit() if ready is not None else None
        if ready is not None and job is not None:
            self._show(given, job, list(ready.notes), notes)

    def _keep(self, given: Namespace, saved: SavedComponent, *, is_made: bool) -> None:
        """Save and register a component, or a new version of a saved one."""
        component = saved.component
        is_new = given.version is not None and given.version != component.version
        is_accepted = given.accept_changes or (is_new and given.save is not None)
        changes = check_unchanged(
            saved, is_accepted=is_accepted, way_on="To take it as it is now, add --accept-changes."
        )
        say(*noted(changes))
        if is_new:
            component = replace(component, version=given.version, version_description=given.version_description or "")
        if given.save is not None:
            stored = store(component, given.save or None, is_proposed=given.version is None and not is_made)
            component = replace(component, version=stored.component.version)
            say(*noted(stored.notes), f"{component.title} is saved in {stored.path}")
        if given.register:
            registered = components.register(component)
            say(*noted(registered.notes), f"{component.title} is registered.")

    def _registered(self, given: Namespace) -> None:
        if given.delete:
            self._delete(given)
            return
        check_registered(given)
        if given.run:
            self._show(given, *start_registered(given.name, given.version, run_of(given)), [])
            return
        registered = components.read(given.name, given.version)
        source = registered.component.source
        say(
            *described(registered.component, code=f"code: {source or '-'}"),
            f"versions: {', '.join(in_order(registered.versions))}; next: {next_of(registered.versions)}",
        )

    def _delete_saved(self, given: Namespace, versions: list[str]) -> None:
        what = f"{given.name} {given.version}" if given.version else f"{given.name} ({', '.join(versions)})"
        if not given.yes and not _confirmed(f"Delete the saved component {what}? [y/N] "):
            say("Nothing was deleted.")
            return
        panel.component_delete(given.name, given.version)
        say(f"{what} is deleted from the saved components. Its jobs stay.")

    def _delete(self, given: Namespace) -> None:
        found = components.read(given.name, given.version)
        what = f"{given.name} {given.version}" if given.version else f"{given.name} ({', '.join(found.versions)})"
        if not given.yes and not _confirmed(f"Delete the registered component {what}? [y/N] "):
            say("Nothing was deleted.")
            return
        components.delete(given.name, given.version)
        say(f"{what} is deleted. Its jobs and its code in the bucket stay.")

    def _show(self, given: Namespace, job: Job, notes: list[str], more: list[str]) -> None:
        self.shell.user_ns[given.variable or "_pai"] = job
        wait = given.wait if given.wait is not None else not front_end().is_attended
        with detaching(job):
            show_job(job, [*more, *notes], wait=wait, as_widget=given.widget)
            if wait:
                job.wait()


def _version(given: Namespace) -> str:
    """Return the asked for version, else the next after those that are saved, and if it is registered, after those there."""
    if given.version is not None:
        return str(given.version)
    saved = saved_versions().get(given.name, []) if given.save == "" else []
    return next_of([*saved, *(registered_versions(given.name) if given.register else ())])


def _need_name(given: Namespace) -> None:
    if given.name is None or Path(given.name).suffix in SUFFIXES:
        raise SpecError("a component needs a name: %%pai_component iris --save iris.yaml", field="name")


def _need_registry(name: str) -> None:
    """Check that PAI can be asked for a component that is not saved.

    Raises:
        SpecError: it cannot, or this is the name of something else.
    """
    if component_name_problem(name) and ("/" in name or _is_there(name)):
        raise SpecError(
            f"{name!r} is neither the name of a component nor the YAML file of one. Type %pai_component to see the names.",
            field="name",
        )
    try:
        need_session()
    except SpecError as exc:
        raise SpecError(
            f"no component {name!r} is saved, and registered ones cannot be listed: {exc}", field="name"
        ) from exc


def _is_there(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # too long for a name
        return False


def _with_login(component: Component, given: Namespace) -> Component:
    """Return a saved component with the login that `--source-dir` gives for its own repository."""
    address, login = without_login(given.source_dir)
    if address != component.source:
        raise SpecError(
            f"`--source-dir` is not the address in {given.name!r}, which has code of its own. Leave it out, or give that address "
            "with a login: https://TOKEN@HOST/...",
            field="--source-dir",
        )
    return replace(component, login=login)


def _confirmed(question: str) -> bool:
    """Ask the user; an interrupt counts as no."""
    try:
        return input(said(question)).strip().lower() in ("y", "yes")
    except KeyboardInterrupt:
        return False
    except (EOFError, NotImplementedError) as exc:
        raise SpecError(
            "nothing was deleted: you cannot be asked here. To delete without confirmation, add -y", field="-y"
        ) from exc
