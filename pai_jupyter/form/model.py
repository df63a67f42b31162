"""What the form is called and consists of: `wire.schema.form`, which JupyterLab's dialog draws, too."""

from collections.abc import Mapping

from pai_jupyter.wire.schema.form import SECTIONS, FormField, SectionKey


def field_of(option: str) -> FormField:
    """Return the field of the form that sets this option of the magic's line; '' is the job's name."""
    return next(field for section in SECTIONS for field in section["fields"] if field["option"] == option)


def titles() -> Mapping[SectionKey, str]:
    """Return the title of each section, in the order of the form."""
    return {section["key"]: section["title"] for section in SECTIONS}
