"""What a script declares, in short."""

import textwrap

from pai_jupyter.hyperparameters import Schema, read_schema


def read(source: str, *, inputs: tuple[str, ...] = (), outputs: tuple[str, ...] = ()) -> Schema:
    return read_schema(textwrap.dedent(source), inputs=inputs, outputs=outputs)


def types(schema: Schema) -> dict[str, str]:
    return {it.name: it.type for it in schema.hyperparameters}
