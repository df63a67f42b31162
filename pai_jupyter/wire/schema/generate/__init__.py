"""Generate files from the declarations: `make generate` runs `python -m pai_jupyter.wire.schema.generate`.

    declared      reads the declared objects and named types, in source order, with the comments of their fields
    json_schema   a declared type as JSON Schema
    typescript    all of them as TypeScript: labextension/src/wire/schema.ts
    openapi       fills schemas and query parameters into tests/openapi.json
    json_text     formats the JSON of that file

It needs a checkout of the repository and is left out of the wheel. A test checks that the generated files are up to date.
"""
