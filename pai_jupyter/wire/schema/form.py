"""The form of a job, as the cell and JupyterLab's dialog draw it: its sections, their order, and their words.

`SECTIONS` is written into labextension/src/wire/schema.ts as `FORM_SECTIONS`, so that both renderings draw the same form. What
depends on the script (`panel.FormModel`) is made by `wire.protocol.form_model`, in the server for the dialog and in the kernel for
the cell.

Rule: words are English here; each rendering translates them, and a test compares the two translations.
"""

from typing import Literal, TypeAlias, TypedDict

SectionKey: TypeAlias = Literal[
    "name", "values", "inputs", "taken", "send", "return", "target", "pass", "findings", "line"
]


class FormField(TypedDict):
    """A field that no script declares; `option` is the option of the magic's line that it sets, '' for the job's name."""

    option: str
    label: str
    help: str


class FormSection(TypedDict):
    """A part of the form; one without a title stands alone."""

    key: SectionKey
    title: str
    fields: list[FormField]


SECTIONS: tuple[FormSection, ...] = (
    {"key": "name", "title": "", "fields": [{"option": "", "label": "Name", "help": "Leave blank to generate"}]},
    {"key": "values", "title": "Hyperparameters", "fields": []},
    {"key": "inputs", "title": "Inputs", "fields": []},
    {"key": "taken", "title": "From other cells", "fields": []},
    {"key": "send", "title": "Send from the notebook", "fields": []},
    {"key": "return", "title": "Return to the notebook", "fields": []},
    {
        "key": "target",
        "title": "Run on",
        "fields": [
            {"option": "backend", "label": "Backend", "help": ""},
            {"option": "image", "label": "Image", "help": ""},
            {"option": "instance-type", "label": "Instance type", "help": ""},
            {"option": "instance-count", "label": "Instance count", "help": ""},
            {"option": "job-type", "label": "Job type", "help": ""},
        ],
    },
    {"key": "pass", "title": "Pass on variables of the kernel", "fields": []},
    {"key": "findings", "title": "Warnings", "fields": []},
    {"key": "line", "title": "Magic line", "fields": []},
)
