"""The training contract as a table: jobs, and by hand what their script must see, line by line from contract/README.md.

Nothing here calls the package `contract`. `build` writes a case's source and inputs and gives its spec; the script is
tests/data/contract_probe.py, whose JSON must equal `expected(case, spec)`, whatever the backend.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pai_jupyter.spec import ArgumentStyle, JobSpec, JobType, Json
from tests.support.paths import DATA

PROBE = DATA / "contract_probe.py"
COMMAND = "python train.py $PAI_USER_ARGS"

# Variables of every job: Layout, and Environment variables.
ALWAYS = {
    "PAI_WORKING_DIR": "/ml/usercode/",
    "PAI_CONFIG_DIR": "/ml/input/config/",
    "PAI_OUTPUT_MODEL": "/ml/output/model/",
    "PAI_OUTPUT_CHECKPOINTS": "/ml/output/checkpoints/",
    "PAI_OUTPUT_TENSORBOARD": "/ml/output/tensorboard/",
    "PAI_OUTPUT_LOGS": "/ml/output/tensorboard/",
    "PAI_OUTPUT_OUTPUT_PARAMETERS": "/ml/output/output_parameters/",
    "PYTHONUNBUFFERED": "1",
}
NO_HYPERPARAMETERS = {"PAI_HPS": "{}", "PAI_USER_ARGS": ""}
ALONE = {"RANK": "0", "WORLD_SIZE": "1"}  # PyTorchJob, XGBoostJob; MASTER_ADDR and MASTER_PORT are the backend's
LOCAL = {"LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}  # a PyTorchJob on machines of ours


@dataclass(frozen=True, kw_only=True)
class Case:
    """One job on one machine. An input is a directory (name -> content) or one file (its name, its content)."""

    name: str
    hyperparameters: Mapping[str, Json] = field(default_factory=dict)
    argument_styles: Mapping[str, ArgumentStyle] = field(default_factory=dict)
    inputs: Mapping[str, Mapping[str, str] | tuple[str, str]] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    environments: Mapping[str, str] = field(default_factory=dict)
    job_type: JobType | None = "PyTorchJob"  # None: nobody asked for one
    variables: Mapping[str, str]  # besides ALWAYS
    words: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)  # hyperparameters.json

    @property
    def has_master(self) -> bool:
        return "RANK" in self.variables


DOCUMENTS = Case(
    name="the examples of seeds 001, 002 and 003",
    hyperparameters={"epochs": 10, "batch-size": 32, "train.learning_rate": 0.001},
    inputs={"train": {"train.csv": "1,2\n"}, "test": ("test.csv", "3,4\n")},
    variables={
        **ALONE,
        **LOCAL,
        "PAI_HPS_EPOCHS": "10",
        "PAI_HPS_BATCH_SIZE": "32",
        "PAI_HPS_TRAIN_LEARNING_RATE": "0.001",
        "PAI_HPS": '{"epochs": 10, "batch-size": 32, "train.learning_rate": 0.001}',
        "PAI_USER_ARGS": "--epochs 10 --batch-size 32 --train.learning_rate 0.001",
        "PAI_INPUT_TRAIN": "/ml/input/data/train/",
        "PAI_INPUT_TEST": "/ml/input/data/test/test.csv",
    },
    words=("--epochs", "10", "--batch-size", "32", "--train.learning_rate", "0.001"),
    texts={"epochs": "10", "batch-size": "32", "train.learning_rate": "0.001"},
)
HOSTILE = Case(
    name="values that a shell or argparse would change",
    hyperparameters={
        "spaces": "a  b",
        "quotes": 'it\'s "so"',
        "home": "$HOME `id` $(id)",
        "star": "*",
        "backslash": "a\\b\\",
        "newline": "a\nb\n",
        "chinese": "训练 模型",
        "empty": "",
        "dashes": "--x",
        "dash": "-",
        "negative": -1,
        "comment": "#; exit 3",
    },
    variables={
        **ALONE,
        **LOCAL,
        "PAI_HPS": (
            '{"spaces": "a  b", "quotes": "it\'s \\"so\\"", "home": "$HOME `id` $(id)", "star": "*", "backslash": '
            '"a\\\\b\\\\", "newline": "a\\nb\\n", "chinese": "训练 模型", "empty": "", "dashes": "--x", "dash": "-", '
            '"negative": -1, "comment": "#; exit 3"}'
        ),
        "PAI_USER_ARGS": (
            '--spaces a  b --quotes it\'s "so" --home $HOME `id` $(id) --star * --backslash a\\b\\ --newline a\nb\n '
            "--chinese 训练 模型 --empty  --dashes=--x --dash=- --negative=-1 --comment #; exit 3"
        ),
        "PAI_HPS_SPACES": "a  b",
        "PAI_HPS_QUOTES": 'it\'s "so"',
        "PAI_HPS_HOME": "$HOME `id` $(id)",
        "PAI_HPS_STAR": "*",
        "PAI_HPS_BACKSLASH": "a\\b\\",
        "PAI_HPS_NEWLINE": "a\nb\n",
        "PAI_HPS_CHINESE": "训练 模型",
        "PAI_HPS_EMPTY": "",
        "PAI_HPS_DASHES": "--x",
        "PAI_HPS_DASH": "-",
        "PAI_HPS_NEGATIVE": "-1",
        "PAI_HPS_COMMENT": "#; exit 3",
    },
    words=(
        *("--spaces", "a  b", "--quotes", 'it\'s "so"', "--home", "$HOME `id` $(id)", "--star", "*"),
        *("--backslash", "a\\b\\", "--newline", "a\nb\n", "--chinese", "训练 模型", "--empty", ""),
        *("--dashes=--x", "--dash=-", "--negative=-1", "--comment", "#; exit 3"),
    ),
    texts={
        "spaces": "a  b",
        "quotes": 'it\'s "so"',
        "home": "$HOME `id` $(id)",
        "star": "*",
        "backslash": "a\\b\\",
        "newline": "a\nb\n",
        "chinese": "训练 模型",
        "empty": "",
        "dashes": "--x",
        "dash": "-",
        "negative": "-1",
        "comment": "#; exit 3",
    },
)
TYPES = Case(
    name="types and argument styles",
    hyperparameters={
        "yes": True,
        "no": False,
        "tiny": 0.00001,
        "whole": 2.0,
        "layers": [64, "a b"],
        "opt": {"名": 1},
        "unset": None,
        "amp": True,
        "fp16": False,
        "cache": True,
        "shuffle": False,
        "old_yes": True,
        "old_no": False,
        "augment": True,
        "resume": False,
        "sizes": [64, -1, "a b"],
        "lr": 0.5,
    },
    argument_styles={
        "amp": "flag",
        "fp16": "flag",
        "cache": "no_flag",
        "shuffle": "no_flag",
        "old_yes": "truthy",
        "old_no": "truthy",
        "augment": "switch",
        "resume": "switch",
        "sizes": "words",
        "lr": "assigned",
    },
    variables={
        **ALONE,
        **LOCAL,
        "PAI_HPS": (
            '{"yes": true, "no": false, "tiny": 1e-05, "whole": 2.0, "layers": [64, "a b"], "opt": {"名": 1}, '
            '"amp": true, "fp16": false, "cache": true, "shuffle": false, "old_yes": true, "old_no": false, '
            '"augment": true, "resume": false, "sizes": [64, -1, "a b"], "lr": 0.5}'
        ),
        "PAI_USER_ARGS": (
            '--yes True --no False --tiny 1e-05 --whole 2.0 --layers [64, "a b"] --opt {"名": 1} '
            "--amp --shuffle --old_yes True --old_no  --augment --no-resume --sizes 64 -1 a b"
        ),
        "PAI_HPS_YES": "True",
        "PAI_HPS_NO": "False",
        "PAI_HPS_TINY": "1e-05",
        "PAI_HPS_WHOLE": "2.0",
        "PAI_HPS_LAYERS": '[64, "a b"]',
        "PAI_HPS_OPT": '{"名": 1}',
        "PAI_HPS_AMP": "True",
        "PAI_HPS_FP16": "False",
        "PAI_HPS_CACHE": "True",
        "PAI_HPS_SHUFFLE": "False",
        "PAI_HPS_OLD_YES": "True",
        "PAI_HPS_OLD_NO": "False",
        "PAI_HPS_AUGMENT": "True",
        "PAI_HPS_RESUME": "False",
        "PAI_HPS_SIZES": '[64, -1, "a b"]',
        "PAI_HPS_LR": "0.5",
    },
    words=(
        *("--yes", "True", "--no", "False", "--tiny", "1e-05", "--whole", "2.0"),
        *("--layers", '[64, "a b"]', "--opt", '{"名": 1}', "--amp", "--shuffle"),
        *("--old_yes", "True", "--old_no", "", "--augment", "--no-resume"),
        *("--sizes", "64", "-1", "a b"),
    ),
    texts={
        "yes": "True",
        "no": "False",
        "tiny": "1e-05",
        "whole": "2.0",
        "layers": '[64, "a b"]',
        "opt": '{"名": 1}',
        "amp": "True",
        "fp16": "False",
        "cache": "True",
        "shuffle": "False",
        "old_yes": "True",
        "old_no": "False",
        "augment": "True",
        "resume": "False",
        "sizes": '[64, -1, "a b"]',
        "lr": "0.5",
    },
)
PLACES = Case(
    name="channels and variables of the user's own",
    inputs={"train-data": {"iris 数据.csv": "1\n", "sub": "2\n"}, "model": ("a b.bin", "3\n")},
    outputs=("Eval-1",),
    environments={
        "PROBE_MODE": "it's $HOME 中",
        "PAI_OUTPUT_MODEL": "/tmp",
        "RANK": "7",
        "NVIDIA_VISIBLE_DEVICES": "0",
        "PYTHONUNBUFFERED": "x",
    },
    variables={
        **ALONE,
        **LOCAL,
        **NO_HYPERPARAMETERS,
        "PAI_INPUT_TRAIN_DATA": "/ml/input/data/train-data/",
        "PAI_INPUT_MODEL": "/ml/input/data/model/a b.bin",
        "PAI_OUTPUT_EVAL_1": "/ml/output/Eval-1/",
        "PROBE_MODE": "it's $HOME 中",
        "PYTHONUNBUFFERED": "x",  # ours, but no variable of the contract
    },
)
CASES = (
    DOCUMENTS,
    HOSTILE,
    TYPES,
    PLACES,
    Case(name="a plain cell knows of no others", job_type=None, variables=NO_HYPERPARAMETERS),
    Case(name="a lone TFJob has no TF_CONFIG", job_type="TFJob", variables=NO_HYPERPARAMETERS),
    Case(name="a lone XGBoostJob is the master", job_type="XGBoostJob", variables={**NO_HYPERPARAMETERS, **ALONE}),
    Case(
        name="an ElasticBatchJob's worker",
        job_type="ElasticBatchJob",
        variables={
            **NO_HYPERPARAMETERS,
            "ELASTICBATCH_CONFIG": '{"environment":"cloud","task":{"index":0,"type":"worker"}}',
        },
    ),
)


def build(case: Case, folder: Path, *, command: str = COMMAND) -> JobSpec:
    """Write the case's source and inputs below `folder` and give its spec."""
    source = folder / "source"
    source.mkdir(parents=True)
    (source / "train.py").write_text(PROBE.read_text("utf-8"), "utf-8")
    inputs = {channel: str(_write_input(folder / "data" / channel, given)) for channel, given in case.inputs.items()}
    return JobSpec(
        name="probe",
        command=command,
        source_dir=source,
        hyperparameters=case.hyperparameters,
        argument_styles=case.argument_styles,
        inputs=inputs,
        outputs={channel: str(folder / "out" / channel) for channel in case.outputs},
        environments=case.environments,
        job_type=case.job_type,
    )


def _write_input(place: Path, given: Mapping[str, str] | tuple[str, str]) -> Path:
    place.mkdir(parents=True)
    for name, content in [given] if isinstance(given, tuple) else given.items():
        (place / name).write_text(content, "utf-8")
    return place / given[0] if isinstance(given, tuple) else place


def expected(
    case: Case, spec: JobSpec, *, master_addr: str = "probe-master-0", master_port: int | None = None
) -> dict[str, Json]:
    """What the probe must print. How replicas reach each other is the backend's affair, hence given."""
    port = master_port or {"XGBoostJob": 9999}.get(case.job_type or "", 23456)
    master = {"MASTER_ADDR": master_addr, "MASTER_PORT": str(port)} if case.has_master else {}
    variables: dict[str, Json] = {**ALWAYS, **case.variables, **master}
    return {"argv": [*case.words], "cwd": "/ml/usercode", "variables": variables, "files": _tree(case, spec)}


def _tree(case: Case, spec: JobSpec) -> dict[str, Json]:
    """Layout: the whole of /ml, with no directory besides."""
    outputs = ("model", "checkpoints", "tensorboard", "output_parameters", *case.outputs)
    directories = ("usercode", "input", "input/config", "input/data", "output", *(f"output/{it}" for it in outputs))
    tree: dict[str, Json] = {
        **dict.fromkeys(directories, "directory"),
        "code": {"link": "usercode"},
        "output/logs": {"link": "output/tensorboard"},
        "usercode/train.py": PROBE.read_text("utf-8"),
        "input/config/hyperparameters.json": {**case.texts},
        "input/config/training_job.json": _training_job(case, spec, outputs),
    }
    for channel, given in case.inputs.items():
        tree[f"input/data/{channel}"] = "directory"
        for name, content in [given] if isinstance(given, tuple) else given.items():
            tree[f"input/data/{channel}/{name}"] = content  # of a file input, that file alone
    return tree


def _training_job(case: Case, spec: JobSpec, outputs: tuple[str, ...]) -> dict[str, Json]:
    described: dict[str, dict[str, Json]] = {
        "model": {"Description": "Training output models", "Required": True},
        "checkpoints": {"Description": "Training checkpoints channel"},
        "tensorboard": {"Description": "TensorBoard logs channel", "Properties": {"ossAppendable": "true"}},
    }
    algorithm: dict[str, Json] = {
        "Command": ["sh", "-c", spec.command],
        "JobType": case.job_type or "PyTorchJob",
        "SupportsDistributedTraining": True,
        "OutputChannels": [{"Name": it, "Required": False, **described.get(it, {})} for it in outputs],
    }
    body: dict[str, Json] = {
        "TrainingJobName": "probe",
        "AlgorithmSpec": algorithm,
        "ComputeResource": {"EcsCount": 1, "EcsSpec": "local"},
        "OutputChannels": [
            {"Name": it, "OutputUri": spec.outputs[it]} if it in spec.outputs else {"Name": it} for it in outputs
        ],
    }
    if case.texts:
        body["HyperParameters"] = [{"Name": name, "Value": text} for name, text in case.texts.items()]
    if case.inputs:
        algorithm["InputChannels"] = [{"Name": it, "Required": False} for it in case.inputs]
        body["InputChannels"] = [{"Name": it, "InputUri": spec.inputs[it]} for it in case.inputs]
    if case.environments:
        body["Environments"] = {**case.environments}
    return body
