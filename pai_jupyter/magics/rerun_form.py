"""The form of `%pai_rerun --form`: what a job ran with, to be changed and submitted again."""

from collections.abc import Mapping
from typing import Any

from pai_jupyter import contract
from pai_jupyter.backends import backend_names
from pai_jupyter.cell import magic_line
from pai_jupyter.form import FormValues, HyperparameterForm, service_offers, translator
from pai_jupyter.jobs import Job, draft_rerun
from pai_jupyter.training import check_has_form, line_of, passes, ran_with, rerun_of, rerun_schema, whole_line
from pai_jupyter.training.foreseen_cost import cost_of_line
from pai_jupyter.view import environment_language, replaceable, said, show_live
from pai_jupyter.wire.tabs.source import script_of


def show_rerun_form(shell: Any, job: Job, values: Mapping[str, object], *, variable: str) -> None:
    """Show the form, with `values` in place of the job's own; the new job takes the form's place.

    Raises:
        SpecError: there is no form for this job.
    """
    record = job.folder.record
    check_has_form(record)
    schema = rerun_schema(record, script_of(job))
    ran, of_form = ran_with(record, schema), translator(environment_language())
    form = HyperparameterForm(
        schema,
        values={**ran.values, **schema.in_full(values)},
        inputs=ran.inputs,
        backend=ran.backend,
        backends=backend_names(),
        image_uri=ran.image_uri,
        instance_type=ran.instance_type,
        instance_count=ran.instance_count,
        job_type=ran.job_type,
        roles=ran.roles,
        passes_args=passes(record),
        runs_alone=contract.is_default_command(record.spec.command, record.entry_point or ""),
        name=ran.name,
        line=line_of(record),
        recorded=tuple(record.spec.hyperparameters),
        offers=service_offers(),
        cost=lambda given: cost_of_line(magic_line(whole_line(given, schema, line_of(record))) or ""),
        translate=lambda text: said(of_form(text)),
    )
    place = replaceable(form.widget, as_widget=False)

    def submit(given: FormValues) -> None:
        with draft_rerun(job, form=rerun_of(given, record, schema)) as ready:
            again = ready.submit()
        shell.user_ns[variable] = again
        show_live(again, list(ready.notes), place=place, as_widget=False)

    form.on_submit(submit)
