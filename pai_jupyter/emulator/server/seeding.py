"""Add algorithms that PAI itself would provide: from a file, or by a test over the control endpoint.

    [{"AlgorithmName": "image-classification", "AlgorithmProvider": "pai", "AlgorithmDescription": "...",
      "Versions": {"v0.1.0": {"Command": ["sh", "-c", "..."], "Image": "...", "JobType": "PyTorchJob"}}}]

`AlgorithmProvider` defaults to `pai`. These algorithms are visible in every workspace, and calls cannot change them. Adding an
algorithm again replaces it.
"""

import json
from pathlib import Path

from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.protocol.fields import mapping_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields, invalid, missing
from pai_jupyter.emulator.protocol.times import stamp
from pai_jupyter.emulator.state.records import new_id
from pai_jupyter.emulator.studio.algorithms import ALGORITHMS, VERSIONS, version_id
from pai_jupyter.emulator.studio.validation import check_algorithm
from pai_jupyter.errors import SpecError

PROVIDER = "pai"


def read_algorithms(path: Path) -> list[Fields]:
    """Read the algorithms of a JSON file, one object or a list of them.

    Raises:
        SpecError: the file cannot be read, or has other content.
    """
    try:
        read = json.loads(path.expanduser().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as exc:
        raise SpecError(f"'{path}' cannot be read as JSON: {exc}.", field="algorithms") from exc
    algorithms = read if isinstance(read, list) else [read]
    if not all(isinstance(each, dict) for each in algorithms):
        raise SpecError(f"'{path}' must have a list of algorithms, each a JSON object.", field="algorithms")
    return algorithms


def seed(world: EmulatorContext, algorithm: Fields) -> str:
    """Add an algorithm with its versions, and return its id.

    Raises:
        ApiRefusal: it lacks its name or a version, or a version is not a valid AlgorithmSpec.
    """
    name, provider = str(algorithm.get("AlgorithmName") or ""), str(algorithm.get("AlgorithmProvider") or PROVIDER)
    versions = mapping_of(algorithm, "Versions")
    if not name or not versions:
        raise missing("AlgorithmName" if not name else "Versions")
    if provider == world.account_id:
        raise invalid("AlgorithmProvider", provider, "another provider than the account, which uses CreateAlgorithm")
    specs = {version: _spec(version, spec) for version, spec in versions.items()}
    algorithm_id, now = _id_of(world, name, provider), stamp()
    common: Fields = {
        "AlgorithmId": algorithm_id,
        "AlgorithmName": name,
        "AlgorithmProvider": provider,
        "UserId": provider,
        "TenantId": provider,
        "GmtCreateTime": now,
        "GmtModifiedTime": now,
    }
    told: Fields = {key: str(algorithm.get(key) or "") for key in ("AlgorithmDescription", "DisplayName")}
    world.records(ALGORITHMS).put(algorithm_id, {**common, **told, "DisplayName": told["DisplayName"] or name})
    for version, spec in specs.items():
        fields: Fields = {**common, "AlgorithmVersion": version, "AlgorithmSpec": spec}
        world.records(VERSIONS).put(version_id(fields), fields)
    return algorithm_id


def _id_of(world: EmulatorContext, name: str, provider: str) -> str:
    for known in world.records(ALGORITHMS).all():
        if (known["AlgorithmName"], known["AlgorithmProvider"]) == (name, provider):
            return str(known["AlgorithmId"])
    return new_id("algo-")


def _spec(version: str, spec: object) -> Fields:
    if not isinstance(spec, dict):
        raise invalid(f"Versions.{version}", spec, "an AlgorithmSpec")
    try:
        check_algorithm(spec)
    except ApiRefusal as exc:
        raise ApiRefusal(exc.status, exc.code, f"version {version}: {exc.message}") from exc
    return spec
