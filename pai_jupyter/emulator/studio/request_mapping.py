"""Convert a body of CreateTrainingJob to a job of this package that gets only what PAI gives a job. No I/O.

Local backends give a job everything in contract/README.md. PAI gives less, and our launcher adds the rest. To test the
launcher, the command here first removes what a job on PAI would not have:

    PAI_OUTPUT_LOGS, PYTHONUNBUFFERED, LOCAL_RANK, LOCAL_WORLD_SIZE, and the links /ml/code and /ml/output/logs
    the variables of output channels that the body does not name
    unchanged arguments: `$PAI_USER_ARGS` is split by the shell, as on PAI
    the `training_job.json` of a local job: it is replaced by the body without credentials, which is in the package

All hyperparameters are texts, as in the service's requests.
"""

import json
import shlex
from pathlib import Path

from pai_jupyter.contract import is_secret
from pai_jupyter.emulator.execution import own_python
from pai_jupyter.emulator.execution.own_variables import only_given
from pai_jupyter.emulator.jobs.channels import Directories
from pai_jupyter.emulator.protocol.fields import items_of, list_of, mapping_of
from pai_jupyter.emulator.protocol.refusal import Fields
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import SERVICE_TYPES, STANDARD_OUTPUTS, JobSpec, MetricDefinition, env_name

TRAINING_JOB = ".training_job.json"  # in the package; moved away before the job's own command begins
PROGRESS, REMAINING = "pai emulator: overall progress", "pai emulator: remaining time"  # names of metrics
_LINKS = ("code", "output/logs")
_OWN = ("PAI_JUPYTER_HOME", "PAI_JUPYTER_ML")  # the emulator's own, which its jobs inherit


def job_spec(
    body: Fields, algorithm: Fields, directories: Directories, *, job_id: str, image: str, work: Path | None = None
) -> JobSpec:
    """Build the job for `body`; `algorithm` is its AlgorithmSpec or that of the algorithm that it names.

    `work` is a directory for packages that its command installs, used outside containers and deleted with the job.

    Raises:
        SpecError: the emulator cannot run it.
    """
    job_type = str(algorithm["JobType"])
    if job_type not in SERVICE_TYPES:
        raise SpecError(f"the emulator cannot run {job_type}; it runs {', '.join(SERVICE_TYPES)}.", field="job_type")
    resource = mapping_of(body, "ComputeResource")
    return JobSpec(
        name=job_id,
        command=_command(body, algorithm, work),
        image_uri=image,
        job_type=job_type,
        instance_count=int(str(resource.get("EcsCount") or resource.get("InstanceCount") or 1)),
        hyperparameters={**hyperparameters(body, algorithm)},
        inputs={name: str(path) for name, path in directories.inputs.items()},
        output_path=str(directories.output),
        outputs={
            name: str(directories.place_of(name))
            for name in output_names(body, algorithm)
            if name not in STANDARD_OUTPUTS or name in directories.mounted
        },
        environments={name: str(value) for name, value in mapping_of(body, "Environments").items()},
        requirements=tuple(map(str, list_of(body, "PythonRequirements"))),
        metric_definitions=_metrics(algorithm),
        max_run_time=_limit(mapping_of(body, "Scheduler")),
    )


def training_job_json(body: Fields) -> bytes:
    """Return the body without credentials, as JSON for the job."""
    public = {name: value for name, value in body.items() if name != "CredentialConfig" and value not in (None, {}, [])}
    variables = mapping_of(body, "Environments")
    if variables:
        public["Environments"] = {name: "***" if is_secret(name, value) else value for name, value in variables.items()}
    return (json.dumps(public, ensure_ascii=False, indent=4) + "\n").encode()


def output_names(body: Fields, algorithm: Fields) -> list[str]:
    """List the output channels of the body and of the algorithm."""
    both = items_of(body, "OutputChannels") + items_of(algorithm, "OutputChannels")
    return list(dict.fromkeys(str(item["Name"]) for item in both))


def hyperparameters(body: Fields, algorithm: Fields) -> dict[str, str]:
    """Return the given hyperparameters, and the algorithm's defaults for others."""
    defaults = {
        str(item["Name"]): str(item["DefaultValue"])
        for item in items_of(algorithm, "HyperParameters")
        if item.get("DefaultValue") not in (None, "")
    }
    return defaults | {str(item["Name"]): str(item["Value"]) for item in items_of(body, "HyperParameters")}


def _command(body: Fields, algorithm: Fields, work: Path | None) -> str:
    given = output_names(body, algorithm)
    absent = [name for name in STANDARD_OUTPUTS if name not in given]
    unset = ["PAI_OUTPUT_LOGS", *(f"PAI_OUTPUT_{env_name(name)}" for name in absent), *_OWN]
    if "PYTHONUNBUFFERED" not in mapping_of(body, "Environments"):
        unset.append("PYTHONUNBUFFERED")
    words = " ".join(f"--{name} {value}" for name, value in hyperparameters(body, algorithm).items())
    root, command = '"${PAI_WORKING_DIR%usercode/}"', shlex.join(map(str, list_of(algorithm, "Command")))
    return "\n".join(
        [
            f'mv -f {TRAINING_JOB} "${{PAI_CONFIG_DIR}}training_job.json" 2>/dev/null; rm -f {TRAINING_JOB}',
            f"rm -f {' '.join(root + link for link in _LINKS)}",
            f"unset {' '.join(unset)}",
            *only_given(mapping_of(body, "Environments")),
            f"export PAI_USER_ARGS={shlex.quote(words)}",
            *own_python.taking(command, work),
            f"exec {command}",
        ]
    )


def _metrics(algorithm: Fields) -> tuple[MetricDefinition, ...]:
    defined = [(str(item["Name"]), str(item["Regex"])) for item in items_of(algorithm, "MetricDefinitions")]
    progress = mapping_of(algorithm, "ProgressDefinitions")
    for name, kind in ((PROGRESS, "OverallProgress"), (REMAINING, "RemainingTime")):
        regex = mapping_of(progress, kind).get("Regex")
        if regex:
            defined.append((name, str(regex)))
    return tuple(MetricDefinition(name=name, regex=regex) for name, regex in defined)


def _limit(scheduler: Fields) -> int | None:
    """Return the maximum running time of the job in seconds; None = no limit."""
    seconds = int(str(scheduler.get("MaxRunningTimeInSeconds") or 0))
    return seconds or 60 * int(str(scheduler.get("MaxRunningTimeInMinutes") or 0)) or None
