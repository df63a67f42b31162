"""The variables of other services, for code written for them: `--compat sagemaker|azureml|vertex`.

They stand for ours: a directory of the job's own tree, the hyperparameters, the machines. A variable that the user gives
(`--env`) goes over them. Directories of SageMaker and Azure ML have no `/` at their end, those of Vertex AI have one, as there.

    sagemaker  SM_MODEL_DIR SM_OUTPUT_DATA_DIR SM_CHANNEL_<NAME> SM_HPS SM_HP_<NAME> SM_NUM_GPUS SM_HOSTS SM_CURRENT_HOST ...
    azureml    AZUREML_MODEL_DIR AZUREML_DATAREFERENCE_<name> AZURE_ML_INPUT_<name> AZURE_ML_OUTPUT_<name>
    vertex     AIP_MODEL_DIR AIP_CHECKPOINT_DIR AIP_TENSORBOARD_LOG_DIR AIP_TRAINING_DATA_URI AIP_VALIDATION_DATA_URI ...

Rule 1: AZUREML_RUN_ID is not set: code takes it for the sign of a workspace that it can reach.
Rule 2: on PAI the launcher sets them from the tree that it finds, and from `nvidia-smi` what only the machine knows.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from pai_jupyter.contract.paths import PATHS, Paths, output_channels
from pai_jupyter.contract.topology import Replica, replicas
from pai_jupyter.contract.values import as_json, texts
from pai_jupyter.contract.words import user_args
from pai_jupyter.spec import JobSpec, env_name

KNOWN_BY: Mapping[str, str] = {
    "sagemaker": r"SM_(MODEL_DIR|OUTPUT_DIR|OUTPUT_DATA_DIR|INPUT_DIR|INPUT_CONFIG_DIR|MODULE_DIR|CHANNELS|CHANNEL_\w+|HPS|HP_\w+"
    r"|USER_ARGS|NUM_GPUS|HOSTS|CURRENT_HOST|LOG_LEVEL)",
    "azureml": r"AZUREML_MODEL_DIR|AZUREML_DATAREFERENCE_\w+|AZURE_ML_(INPUT|OUTPUT)_\w+",
    "vertex": r"AIP_(MODEL_DIR|CHECKPOINT_DIR|TENSORBOARD_LOG_DIR|(TRAINING|VALIDATION|TEST)_DATA_URI)",
}
"""Service -> pattern of the variables that it gives here."""
_SPLITS = {  # names that inputs of this split usually have
    "TRAINING": ("training", "train", "data"),
    "VALIDATION": ("validation", "valid", "val", "eval"),
    "TEST": ("test", "testing"),
}
_GPUS = '"$(nvidia-smi -L 2>/dev/null | grep -c ^GPU)"'
_HOST = '"algo-$((${RANK:-0} + 1))"'


def compat_for(name: str) -> str | None:
    """Return the service whose code reads a variable of this name; None if none of those known."""
    return next((service for service, pattern in KNOWN_BY.items() if re.fullmatch(pattern, name)), None)


def compat_variables(
    spec: JobSpec, replica: Replica, *, paths: Paths, input_files: Mapping[str, str], gpus: int
) -> dict[str, str]:
    """Return the variables of the service that the job's code was written for; {} without one."""
    match spec.compat:
        case "sagemaker":
            return dict(_sagemaker(spec, replica, paths, gpus))
        case "azureml":
            return dict(_azureml(spec, paths))
        case "vertex":
            return dict(_vertex(spec, paths, input_files))
        case _:
            return {}


def compat_exports(spec: JobSpec) -> str:
    """Build the launcher's lines that set them; `$ml` is the tree. What the job has already stays."""
    given = compat_variables(spec, replicas(spec)[0], paths=PATHS, input_files={}, gpus=0)
    if not given:
        return ""
    values = {name: _expression(name, value) for name, value in given.items()}
    return "".join(f'[ -n "${{{name}+x}}" ] || export {name}={value}\n' for name, value in values.items())


def _expression(name: str, value: str) -> str:
    if name in ("SM_NUM_GPUS", "SM_CURRENT_HOST"):
        return _GPUS if name == "SM_NUM_GPUS" else _HOST
    if name.startswith("AIP_") and name.endswith("_DATA_URI"):  # an input may be a file, which only PAI's variable says
        channel = env_name(value.removeprefix(PATHS.data_dir).strip("/"))
        return f'"${{PAI_INPUT_{channel}}}"'
    is_place = value.startswith(f"{PATHS.root}/")
    return f'"$ml"{shlex.quote(value.removeprefix(PATHS.root))}' if is_place else shlex.quote(value)


def _sagemaker(spec: JobSpec, replica: Replica, paths: Paths, gpus: int) -> Iterator[tuple[str, str]]:
    every = replicas(spec)
    yield "SM_MODEL_DIR", _plain(paths.output("model"))
    yield "SM_OUTPUT_DIR", _plain(paths.output_dir)
    yield "SM_OUTPUT_DATA_DIR", _plain(paths.output("output_data"))
    yield "SM_INPUT_DIR", _plain(f"{paths.root}/input/")
    yield "SM_INPUT_CONFIG_DIR", _plain(paths.config_dir)
    yield "SM_MODULE_DIR", _plain(paths.working_dir)
    yield "SM_CHANNELS", json.dumps([*spec.inputs])
    for name in spec.inputs:
        yield f"SM_CHANNEL_{env_name(name)}", _plain(paths.input(name))
    yield "SM_HPS", as_json(spec)
    for name, text in texts(spec).items():
        yield f"SM_HP_{env_name(name)}", text
    yield "SM_USER_ARGS", json.dumps([*user_args(spec)], ensure_ascii=False)
    yield "SM_NUM_GPUS", str(gpus)
    yield "SM_HOSTS", json.dumps([f"algo-{number + 1}" for number in range(len(every))])
    yield "SM_CURRENT_HOST", f"algo-{every.index(replica) + 1}"
    yield "SM_LOG_LEVEL", "20"


def _azureml(spec: JobSpec, paths: Paths) -> Iterator[tuple[str, str]]:
    yield "AZUREML_MODEL_DIR", _plain(paths.output("model"))
    for name in spec.inputs:
        for spelled in _spellings(name):
            yield f"AZUREML_DATAREFERENCE_{spelled}", _plain(paths.input(name))
            yield f"AZURE_ML_INPUT_{spelled}", _plain(paths.input(name))
    for name in output_channels(spec):
        for spelled in _spellings(name):
            yield f"AZURE_ML_OUTPUT_{spelled}", _plain(paths.output(name))


def _vertex(spec: JobSpec, paths: Paths, input_files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield "AIP_MODEL_DIR", paths.output("model")
    yield "AIP_CHECKPOINT_DIR", paths.output("checkpoints")
    yield "AIP_TENSORBOARD_LOG_DIR", paths.output("tensorboard")
    for split, names in _SPLITS.items():
        if (channel := _input_called(names, [*spec.inputs])) is not None:
            yield f"AIP_{split}_DATA_URI", paths.input(channel) + input_files.get(channel, "")


def _input_called(names: Sequence[str], inputs: Sequence[str]) -> str | None:
    by_name = {name.lower(): name for name in inputs}
    return next((by_name[name] for name in names if name in by_name), None)


def _spellings(name: str) -> Sequence[str]:
    """Return a channel's name as it is in a variable, as given and in upper case."""
    return tuple(dict.fromkeys((re.sub(r"\W", "_", name, flags=re.ASCII), env_name(name))))


def _plain(directory: str) -> str:
    return directory.rstrip("/")
