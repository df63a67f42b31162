"""`--compat`: code written for SageMaker, Azure ML or Vertex AI finds its variables, which stand for ours."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from pai_jupyter.contract import compat_for, environment, launcher, not_used, output_channels, replicas
from pai_jupyter.contract.compat import KNOWN_BY
from pai_jupyter.contract.topology import TOPOLOGY_VARIABLES
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Compat, JobSpec

SPEC = {
    "name": "a",
    "command": "true",
    "hyperparameters": {"batch-size": 32, "train.lr": 0.1, "amp": True},
    "inputs": {"train": "/data/train", "val-2": "/data/v.csv"},
}


def spec_for(compat: Compat | None, **fields: object) -> JobSpec:
    return JobSpec(**{**SPEC, **fields}, compat=compat)  # type: ignore[arg-type]  # fields of a JobSpec


def added(compat: Compat, **fields: object) -> dict[str, str]:
    """What `--compat` adds to the variables of a job."""
    plain, spec = spec_for(None, **fields), spec_for(compat, **fields)
    files = {"val-2": "v.csv"}
    before = environment(plain, replicas(plain)[0], input_files=files, gpus=2)
    after = environment(spec, replicas(spec)[0], input_files=files, gpus=2)
    assert before.items() <= after.items()
    return {name: value for name, value in after.items() if name not in before}


def test_sagemakers_variables_stand_for_ours() -> None:
    assert added("sagemaker") == {
        "PAI_OUTPUT_OUTPUT_DATA": "/ml/output/output_data/",
        "SM_MODEL_DIR": "/ml/output/model",
        "SM_OUTPUT_DIR": "/ml/output",
        "SM_OUTPUT_DATA_DIR": "/ml/output/output_data",
        "SM_INPUT_DIR": "/ml/input",
        "SM_INPUT_CONFIG_DIR": "/ml/input/config",
        "SM_MODULE_DIR": "/ml/usercode",
        "SM_CHANNELS": '["train", "val-2"]',
        "SM_CHANNEL_TRAIN": "/ml/input/data/train",
        "SM_CHANNEL_VAL_2": "/ml/input/data/val-2",
        "SM_HPS": '{"batch-size": 32, "train.lr": 0.1, "amp": true}',
        "SM_HP_BATCH_SIZE": "32",
        "SM_HP_TRAIN_LR": "0.1",
        "SM_HP_AMP": "True",
        "SM_USER_ARGS": '["--batch-size", "32", "--train.lr", "0.1", "--amp", "True"]',
        "SM_NUM_GPUS": "2",
        "SM_HOSTS": '["algo-1"]',
        "SM_CURRENT_HOST": "algo-1",
        "SM_LOG_LEVEL": "20",
    }


def test_each_machine_is_a_host_of_its_own() -> None:
    spec = spec_for("sagemaker", instance_count=3)
    told = [environment(spec, replica) for replica in replicas(spec)]
    assert [each["SM_CURRENT_HOST"] for each in told] == ["algo-1", "algo-2", "algo-3"]
    assert {each["SM_HOSTS"] for each in told} == {'["algo-1", "algo-2", "algo-3"]'}


def test_azures_variables_stand_for_ours() -> None:
    found = added("azureml", inputs={"My-Data": "/data"})
    assert found["AZUREML_MODEL_DIR"] == "/ml/output/model"
    assert found["AZUREML_DATAREFERENCE_My_Data"] == found["AZURE_ML_INPUT_MY_DATA"] == "/ml/input/data/My-Data"
    assert found["AZURE_ML_OUTPUT_checkpoints"] == found["AZURE_ML_OUTPUT_CHECKPOINTS"] == "/ml/output/checkpoints"
    assert "AZUREML_RUN_ID" not in found


@pytest.mark.parametrize(("name", "split"), [("train", "TRAINING"), ("Training", "TRAINING"), ("val", "VALIDATION")])
def test_vertexs_variables_stand_for_ours(name: str, split: str) -> None:
    assert added("vertex", inputs={name: "/data"}) == {
        "AIP_MODEL_DIR": "/ml/output/model/",
        "AIP_CHECKPOINT_DIR": "/ml/output/checkpoints/",
        "AIP_TENSORBOARD_LOG_DIR": "/ml/output/tensorboard/",
        f"AIP_{split}_DATA_URI": f"/ml/input/data/{name}/",
    }


@pytest.mark.parametrize("compat", ["sagemaker", "azureml", "vertex"])
def test_every_variable_that_is_given_is_one_by_which_the_service_is_known(compat: Compat) -> None:
    names = [name for name in added(compat) if not name.startswith("PAI_")]
    assert {compat_for(name) for name in names} == {compat}


def test_a_variable_of_the_users_goes_over_it() -> None:
    spec = spec_for("sagemaker", environments={"SM_MODEL_DIR": "/tmp/m"})
    assert environment(spec, replicas(spec)[0])["SM_MODEL_DIR"] == "/tmp/m"
    assert not_used(spec) == []


def test_sagemakers_output_data_is_a_channel_of_such_a_job_alone() -> None:
    assert "output_data" in output_channels(spec_for("sagemaker"))
    assert "output_data" not in output_channels(spec_for("vertex"))


def test_an_unknown_service_is_one_sentence_and_an_unknown_one_in_a_record_is_none() -> None:
    with pytest.raises(
        SpecError, match=r"`compat` is 'databricks'; it is one of sagemaker, azureml, vertex\."
    ) as caught:
        spec_for("databricks")  # type: ignore[arg-type]  # what a user may write
    assert caught.value.field == "compat"
    spec = spec_for("vertex")
    assert JobSpec.from_json(spec.to_json()) == spec
    assert JobSpec.from_json({**spec.to_json(), "compat": "newer"}).compat is None
    assert "compat" not in spec_for(None).to_json()


@pytest.mark.parametrize("compat", ["sagemaker", "azureml", "vertex"])
def test_the_launcher_sets_the_same_on_pai(compat: Compat, tmp_path: Path) -> None:
    """The service sets PAI's own variables; nothing is known of the machine before."""
    probe = 'env -0 >"$PROBE"'
    spec = spec_for(compat, command=probe)
    tree = tmp_path / "a b" / "ml"
    (tree / "usercode").mkdir(parents=True)
    service = {
        "PATH": os.environ["PATH"],
        "PROBE": str(tmp_path / "env"),
        "PAI_WORKING_DIR": f"{tree}/usercode/",
        "PAI_INPUT_TRAIN": f"{tree}/input/data/train/",
        "SM_LOG_LEVEL": "10",
        "RANK": "0",
    }
    text = launcher(spec, job_id="j1")
    subprocess.run(["sh", "-c", text], env=service, cwd=tree / "usercode", check=True, stdout=subprocess.DEVNULL)
    told = dict(item.split("=", 1) for item in (tmp_path / "env").read_text().split("\0") if "=" in item)
    wanted = {name: value for name, value in added(compat).items() if not name.startswith("PAI_")}
    found = {name: told[name].replace(str(tree), "/ml") for name in wanted}
    if compat == "sagemaker":
        wanted["SM_LOG_LEVEL"] = "10"  # the user's
        assert int(found.pop("SM_NUM_GPUS")) >= 0
        del wanted["SM_NUM_GPUS"]
        assert json.loads(found["SM_HPS"])
    assert found == wanted


def test_no_service_gives_a_variable_of_the_contract() -> None:
    for name in (*TOPOLOGY_VARIABLES, "PAI_OUTPUT_MODEL", "NVIDIA_VISIBLE_DEVICES"):
        assert compat_for(name) is None
    assert [*KNOWN_BY] == ["sagemaker", "azureml", "vertex"]
