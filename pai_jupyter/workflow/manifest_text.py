"""Manifests as YAML text, as PAI's SDK writes it: keys sorted, no aliases. What is read is checked by `cloud.flow`'s strict reader."""

from pai_jupyter.cloud.flow import from_yaml, to_yaml

__all__ = ["from_yaml", "to_yaml"]
