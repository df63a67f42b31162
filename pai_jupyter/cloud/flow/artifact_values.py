"""Artifacts as PAIFlow writes them in arguments: JSON text that says where something is.

{"location": {"bucket": ..., "key": ..., "endpoint": ...}}                 OSS
{"location": {"project": ..., "table": ..., "partition": ...}}             a table of MaxCompute
"""

import json
from collections.abc import Mapping

from pai_jupyter.spec import Json
from pai_jupyter.storage import parse_oss_url


def artifact_value(name: str, place: Json, *, endpoint: str = "") -> Json:
    """Return the value of an artifact in arguments. `place`: `oss://...`, or the value itself; a list if it is repeated.

    Raises:
        SpecError: the address is invalid.
    """
    if isinstance(place, list):
        return [
            {"name": f"{name}_{number}", "value": artifact_value(name, each, endpoint=endpoint)}
            for number, each in enumerate(place)
        ]
    if isinstance(place, str) and place.startswith("oss://"):
        url = parse_oss_url(place)
        where = {"bucket": url.bucket_name, "endpoint": url.endpoint or endpoint, "key": url.object_key}
        return json.dumps({"location": where})
    return json.dumps(place) if isinstance(place, Mapping) else place


def artifact_place(value: Json) -> Json:
    """Return the place that a value names: `oss://...` with its endpoint for OSS, else the value as it is."""
    if isinstance(value, list):
        return [artifact_place(each.get("value")) if isinstance(each, dict) else artifact_place(each) for each in value]
    where = _location(value)
    bucket, key, endpoint = (where.get(each) for each in ("bucket", "key", "endpoint"))
    if not isinstance(bucket, str) or not isinstance(key, str) or not bucket:
        return value
    host = f"{bucket}.{endpoint}" if isinstance(endpoint, str) and endpoint else bucket
    return f"oss://{host}/{key}"


def _location(value: Json) -> Mapping[str, Json]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    where = value.get("location") if isinstance(value, dict) else None
    return where if isinstance(where, dict) else {}
