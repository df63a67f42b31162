"""What is generated from the declarations: `make generate`, which is `python -m pai_jupyter.wire.schema.generate`.

    declared      the declared objects and the types with names, in their order, with the comments of their fields
    json_schema   a declared type as JSON Schema
    typescript    all of them as interfaces: labextension/src/wire/schema.ts
    openapi       tests/openapi.json with its schemas and the parameters of its queries filled in
    json_text     JSON as that file is written

It works on a checkout of the repository and is left out of the wheel. A test compares what is generated with what is there.
"""
