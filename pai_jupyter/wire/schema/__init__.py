"""The types and limits of all requests, answers and pushes, declared once.

    limits     limits of a field beyond its type (lengths, ranges, words), and their values
    values     types that the others use: numbers, scalars, states, errors
    asked      requests over a WebSocket or a comm
    rest       queries and bodies of REST
    job        facts, state and log of one job; its pushes
    tabs       answers about one job
    listing    the list of all jobs
    table      the runs table: a window of it
    panel      the other answers to the panel: backends, TensorBoards, storage, the form of a cell
    form       the sections of the form of a job
    components answers about custom components
    run        one run of steps: its head, its steps, their picture; its pushes; the list of runs
    generate   `make generate` writes labextension/src/wire/schema.ts, and schemas and queries of tests/openapi.json

The declarations are `TypedDict`s of the standard library, since they import fastest: 75 objects of seven fields take 2 ms as
TypedDicts, 9 ms as msgspec structs, 30 ms as dataclasses, 83 ms as pydantic models (processor time with compiled modules,
best of eight). A server's imports of this package take 2 ms of 165. Answers need no conversion: they are dicts, and mypy
checks the functions that build them. msgspec would check requests faster, but its error messages do not say what to type,
and it would be one more dependency.

Rule 1: a new field is added here and where it is built; `make generate` updates the front end and tests/openapi.json.
Rule 2: limits of requests are stated only here; `RequestFields` looks them up by field name.
Rule 3: at run time a server imports only `limits`, `values`, `asked` and `rest`. Types of answers serve mypy and the
    generator; code that builds an answer imports its type under `TYPE_CHECKING`.
Rule 4: a class whose name is taken elsewhere in the package gets the suffix `Json`; generated names drop it.
"""
