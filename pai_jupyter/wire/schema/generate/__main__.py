"""Write the generated files into the checkout."""

import json
from collections.abc import Mapping
from pathlib import Path

from pai_jupyter.wire.schema.generate.json_text import json_text
from pai_jupyter.wire.schema.generate.openapi import described
from pai_jupyter.wire.schema.generate.typescript import typescript

CHECKOUT = Path(__file__).parents[4]


def generated() -> Mapping[Path, str]:
    """Return the text of each generated file."""
    description = CHECKOUT / "tests" / "openapi.json"
    return {
        CHECKOUT / "labextension" / "src" / "wire" / "schema.ts": typescript(),
        description: json_text(described(json.loads(description.read_text(encoding="utf-8")))),
    }


if __name__ == "__main__":
    for path, text in generated().items():
        path.write_text(text, encoding="utf-8")
