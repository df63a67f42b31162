"""Where the outputs of a job go that belongs to an experiment and names no place for them: below the experiment's own.

    oss://bucket/artifacts/train129f212o89d/model/         each output channel, below the job's id
    oss://bucket/artifacts/tensorboard/train129f212o89d/   the channel `tensorboard`, where one app shows all jobs

SDKs until 0.4.7 leave the channels out of such a job and read their places from the job as the service tells it.
"""

from pai_jupyter.emulator.api import Call, Fields
from pai_jupyter.emulator.checks import found
from pai_jupyter.emulator.fields import items_of, mapping_of
from pai_jupyter.spec import STANDARD_OUTPUTS, Json

_BOARD = "tensorboard"


def experiment_of(call: Call, body: Fields) -> Fields | None:
    """Return the experiment that the job belongs to; None where it names none.

    Raises:
        Refusal: there is no such experiment.
    """
    experiment_id = mapping_of(body, "ExperimentConfig").get("ExperimentId")
    return found(call, "experiments", str(experiment_id), what="Experiment") if experiment_id else None


def outputs_of(call: Call, body: Fields, algorithm: Fields, experiment: Fields, job_id: str) -> list[Json]:
    """Return the output channels: those given a place, and the algorithm's others below the experiment's."""
    given = items_of(body, "OutputChannels")
    declared = [str(item["Name"]) for item in items_of(algorithm, "OutputChannels")] or [*STANDARD_OUTPUTS]
    whole = str(experiment["ArtifactUri"] or f"oss://{call.world.bucket}/{experiment['ExperimentId']}").rstrip("/")
    names = {item["Name"] for item in given}
    others: list[Json] = [
        {"Name": name, "OutputUri": _place(whole, name, job_id)} for name in declared if name not in names
    ]
    return [*given, *others]


def _place(whole: str, name: str, job_id: str) -> str:
    return f"{whole}/{name}/{job_id}/" if name == _BOARD else f"{whole}/{job_id}/{name}/"
