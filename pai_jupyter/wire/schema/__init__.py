"""What goes over the wire, declared once: bodies of requests, answers and pushes, as objects and their limits.

    limits     how a field is limited beyond its type, and the limits themselves
    values     what the others are made of: numbers, scalars, states, errors
    asked      requests, and the queries of REST
    job        a job as a view is told of it; its pushes
    tabs       answers about one job
    listing    the list of all jobs
    panel      the other answers to the panel: backends, TensorBoards, storage, the form of a cell
    generate   what is made of all this by `make generate`: labextension/src/wire/schema.ts, and the schemas and queries of
               tests/openapi.json

The declarations are `TypedDict`s of the standard library. 75 objects of seven fields take, imported (processor time with
compiled modules, the best of eight): as TypedDicts 2 ms, as msgspec structs 9 ms, as dataclasses 30 ms, as pydantic models
83 ms; what a server imports of this package takes 2 ms of 165. Nothing is converted on the way out either: an answer is a
dict, which is what JSON is made of, and mypy checks the function that builds it. msgspec would check requests faster, but
with sentences of its own, where ours say what to type; and it would be one more dependency.

Rule 1: a field is added here and where it is built; `make generate` tells the front end and the description.
Rule 2: a limit of what is asked is stated here alone: `requests.Fields` looks it up by the field's name.
Rule 3: at run time only `limits`, `values` and `asked` are imported. Answers are for mypy and the generator: whoever builds
    one imports its type under `TYPE_CHECKING`.
Rule 4: a class whose name another class of the package has ends with `Json`, which generated names lack.
"""
