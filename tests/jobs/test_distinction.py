"""What tells jobs of the same name apart: the recorded cases test the panel's twin too."""

import json
from typing import Any

import pytest

from pai_jupyter.jobs.distinction import distinctions
from tests.support.paths import DATA

CASES = json.loads((DATA / "distinction_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_what_differs_within_a_name_is_told(case: dict[str, Any]) -> None:
    jobs = [(name, dict(text.split("=", 1) for text in values)) for name, values in case["jobs"]]
    told = distinctions(jobs)
    assert [[f"{key}={values[key]}" for key in keys] for (_, values), keys in zip(jobs, told, strict=True)] == case[
        "told"
    ]
