"""What `%pai_pipeline --components` prints: the components that are saved for pipelines, here and in PAIFlow."""

from pai_jupyter.component.names import visible
from pai_jupyter.component.saved import saved_versions
from pai_jupyter.errors import BackendError, SpecError
from pai_jupyter.magics.pipeline_cell import variable_name
from pai_jupyter.magics.table import Table
from pai_jupyter.view import said
from pai_jupyter.workflow.component_store import ComponentVersion, stores

_NONE = "no components are saved for pipelines. Save one: job.as_component(...).save(IDENTIFIER, VERSION)"


def components_table() -> Table:
    """Return the saved components, custom ones in their newest version, with the names that a cell of `%%pai_pipeline` gives them."""
    found: list[ComponentVersion] = []
    for store in stores():
        try:
            found += store.list()
        except (BackendError, SpecError) as exc:
            print(said(f"note: {exc}"))  # noqa: T201  for the user; the others are listed
    custom = [
        [visible(name), versions[-1], said("on this machine"), variable_name(name)]
        for name, versions in saved_versions().items()
    ]
    return Table(
        headers=("component", "version", "where", "in a cell"),
        rows=[
            [
                visible(it.identifier),
                visible(it.version),
                said("on this machine") if it.is_here else "PAIFlow",
                variable_name(it.identifier) if it.is_here else "",
            ]
            for it in found
        ]
        + custom,
        empty=_NONE,
    )
