"""What is said of a component when it is registered, beside its problems. Pure."""

from pathlib import PurePosixPath

from pai_jupyter.component.addresses import source_kind
from pai_jupyter.component.component import Component
from pai_jupyter.package import Package
from pai_jupyter.shards import MODULE as SHARDS

FOLDER = "pai-jupyter/code"  # of the session's bucket, for code that is registered


def is_kept(source: str) -> bool:
    """Return whether code in OSS was put there by `register`, under its digest: then it stays as it is."""
    return source_kind(source) == "oss" and f"/{FOLDER}/" in source


def may_change(component: Component) -> str:
    """Return the note on code that stays at its user's place in OSS."""
    return (
        f"the code of {component.title} stays at {component.source}, and every run takes what is there then. Keep it as it is, or "
        "give a directory of this machine, which is copied."
    )


def not_sent(component: Component) -> list[str]:
    """Return a note on the description of the version, for which PAI's API of algorithms has no field."""
    if not component.version_description:
        return []
    return ["the description of the version is kept with the saved component only: PAI has one for the component."]


def lost_shards(component: Component, package: Package) -> list[str]:
    """Return a note on shards whose results would have no place: jobs of a registered component have its outputs alone."""
    is_sharded = any(PurePosixPath(each.name).name == f"{SHARDS}.py" for each in package.files)
    if not is_sharded or "model" in [each.name for each in component.outputs]:
        return []
    return [
        "the results of `pai_shards` go to the output model, which the component lacks: on PAI they would be lost. Declare it, "
        "-o model, or write them to another output: shards(..., to=os.environ['PAI_OUTPUT_NAME'])"
    ]
