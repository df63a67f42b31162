"""Resolve the addresses of a training job's code and channels, given directly or by dataset, in OSS or mounted.

Output channels without an address, of a job that belongs to an experiment, are stored below the experiment's address:

    oss://bucket/artifacts/train129f212o89d/model/         each output channel, below the job's id
    oss://bucket/artifacts/tensorboard/train129f212o89d/   the channel `tensorboard`, where one app shows all jobs

SDKs up to 0.4.7 leave out the channels of such a job and read their addresses from the job that the service returns.
"""

from pathlib import Path

from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.checks import found
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.jobs.channels import ChannelPlaces, UnusableChannelError
from pai_jupyter.emulator.jobs.mounts import directory_of, not_mounted
from pai_jupyter.emulator.protocol.fields import items_of, mapping_of
from pai_jupyter.emulator.protocol.refusal import Fields
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import STANDARD_OUTPUTS, Json
from pai_jupyter.storage import OssUrl, parse_oss_url
from pai_jupyter.storage.opening import scheme_of

_BOARD = "tensorboard"


def resolve(world: EmulatorContext, body: Fields, algorithm: Fields) -> ChannelPlaces:
    """Resolve the addresses of code and channels; dataset ids are looked up.

    Raises:
        UnusableChannelError: a dataset does not exist, or an address is neither in OSS nor mounted.
    """
    return ChannelPlaces(
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


def _place(world: EmulatorContext, item: Fields, kind: str) -> OssUrl | Path:
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
    if directory is None:  # the mount is gone since the job was created
        raise UnusableChannelError(f"channel {name!r}: {not_mounted(str(uri))}")
    return directory


def experiment_of(call: ApiCall, body: Fields) -> Fields | None:
    """Return the experiment of the job; None if it has none.

    Raises:
        ApiRefusal: there is no such experiment.
    """
    experiment_id = mapping_of(body, "ExperimentConfig").get("ExperimentId")
    return found(call, "experiments", str(experiment_id), what="Experiment") if experiment_id else None


def outputs_of(call: ApiCall, body: Fields, algorithm: Fields, experiment: Fields, job_id: str) -> list[Json]:
    """Return the output channels: those of the body, and the algorithm's others with addresses below the experiment's."""
    given = items_of(body, "OutputChannels")
    declared = [str(item["Name"]) for item in items_of(algorithm, "OutputChannels")] or [*STANDARD_OUTPUTS]
    whole = str(experiment["ArtifactUri"] or f"oss://{call.world.bucket}/{experiment['ExperimentId']}").rstrip("/")
    names = {item["Name"] for item in given}
    others: list[Json] = [
        {"Name": name, "OutputUri": _output(whole, name, job_id)} for name in declared if name not in names
    ]
    return [*given, *others]


def _output(whole: str, name: str, job_id: str) -> str:
    return f"{whole}/{name}/{job_id}/" if name == _BOARD else f"{whole}/{job_id}/{name}/"
