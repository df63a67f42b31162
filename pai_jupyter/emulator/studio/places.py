"""What a training job names, in OSS or mounted: its code, and its channels, by address or by dataset."""

from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.emulator.api import Fields
from pai_jupyter.emulator.channels import Places, UnusableChannelError
from pai_jupyter.emulator.fields import items_of
from pai_jupyter.emulator.mounts import directory_of, not_mounted
from pai_jupyter.errors import SpecError
from pai_jupyter.storage import OssUrl, parse_oss_url
from pai_jupyter.storage.opening import scheme_of

if TYPE_CHECKING:
    from pai_jupyter.emulator.world import World


def resolve(world: "World", body: Fields, algorithm: Fields) -> Places:
    """Look up what the channels name, dataset ids too.

    Raises:
        UnusableChannelError: one names no dataset, or something that is not in OSS.
    """
    return Places(
        code=_code(body) or _code(algorithm),
        inputs={str(item["Name"]): _place(world, item, "InputUri") for item in items_of(body, "InputChannels")},
        outputs={str(item["Name"]): _place(world, item, "OutputUri") for item in items_of(body, "OutputChannels")},
    )


def _code(body: Fields) -> OssUrl | None:
    code = body.get("CodeDir")
    value = code.get("LocationValue") if isinstance(code, dict) else None
    if not isinstance(value, dict):
        return None
    return OssUrl(bucket_name=str(value["Bucket"]), object_key=str(value["Key"]))


def _place(world: "World", item: Fields, kind: str) -> OssUrl | Path:
    name, uri = item["Name"], item.get(kind)
    if not uri:
        dataset = world.records("datasets").get(str(item["DatasetId"]))
        if dataset is None:
            raise UnusableChannelError(f"channel {name!r}: there is no dataset {item['DatasetId']!r}.")
        uri = dataset["Uri"]
    try:
        if scheme_of(str(uri)) == "oss":
            return parse_oss_url(str(uri))
        directory = directory_of(str(uri), world.mounts)
    except SpecError as exc:
        raise UnusableChannelError(f"channel {name!r}: {exc}") from exc
    if directory is None:  # it was mounted when the job was created
        raise UnusableChannelError(f"channel {name!r}: {not_mounted(str(uri))}")
    return directory
