"""The official generated client of AIWorkSpace, unchanged but for endpoint and protocol, uses the emulator."""

import pytest
from alibabacloud_aiworkspace20210204 import models
from alibabacloud_aiworkspace20210204.client import Client

from tests.support.emulators import WORKSPACE, Emulator


@pytest.fixture(scope="module", params=[None, "v2"], ids=["ACS3", "HMAC-SHA1"])
def client(running: Emulator, request: pytest.FixtureRequest) -> Client:
    return Client(running.config(signature_algorithm=request.param))


def test_images_are_listed_with_their_labels(client: Client) -> None:
    labels = "system.official=true,system.supported.dlc=true,system.chipType=GPU"
    wanted = models.ListImagesRequest(
        labels=labels, name="pytorch", verbose=True, sort_by="GmtCreateTime", order="DESC", page_size=50
    )
    answer = client.list_images(wanted).body
    newest = answer.images[0]
    assert (answer.total_count, newest.name) == (5, "pytorch-training:2.3.1-gpu-py310-cu121-ubuntu22.04")
    assert {"system.pythonVersion": "3.10"}.items() <= {label.key: label.value for label in newest.labels}.items()
    shown = client.get_image(newest.image_id, models.GetImageRequest(verbose=True)).body
    assert shown.image_uri == newest.image_uri
    chips = client.list_image_labels(models.ListImageLabelsRequest(label_keys="system.chipType")).body
    assert [label.value for label in chips.labels] == ["CPU", "GPU"]


def test_an_image_is_added_labelled_and_removed(client: Client) -> None:
    label = [models.AddImageRequestLabels(key="mine", value="中文 a=b")]
    added = models.AddImageRequest(name="mine", image_uri="hub/x:1", labels=label, workspace_id=WORKSPACE)
    image_id = client.add_image(added).body.image_id
    more = [models.AddImageLabelsRequestLabels(key="also", value="1")]
    client.add_image_labels(image_id, models.AddImageLabelsRequest(labels=more))
    shown = client.get_image(image_id, models.GetImageRequest(verbose=True)).body
    assert {label.key: label.value for label in shown.labels} == {"mine": "中文 a=b", "also": "1"}
    client.remove_image(image_id, models.RemoveImageRequest())


def test_the_workspace_says_where_results_go(client: Client, running: Emulator) -> None:
    default = client.get_default_workspace(models.GetDefaultWorkspaceRequest()).body
    assert (default.workspace_id, default.status) == (WORKSPACE, "ENABLED")
    listed = client.list_workspaces(models.ListWorkspacesRequest(page_number=1, page_size=10, verbose=True)).body
    assert [each.workspace_id for each in listed.workspaces] == [WORKSPACE]
    configs = client.list_configs(WORKSPACE, models.ListConfigsRequest(config_keys="modelExportPath")).body.configs
    assert configs[0].config_value == f"oss://emulator.{running.host}/"


def test_a_dataset_is_made_and_found(client: Client) -> None:
    wanted = models.CreateDatasetRequest(
        name="鸢尾花", uri="oss://emulator/iris/", data_source_type="OSS", property="DIRECTORY", workspace_id=WORKSPACE
    )
    dataset_id = client.create_dataset(wanted).body.dataset_id
    assert client.get_dataset(dataset_id, models.GetDatasetRequest()).body.name == "鸢尾花"
    listed = client.list_datasets(models.ListDatasetsRequest(workspace_id=WORKSPACE, page_size=10)).body
    assert [each.dataset_id for each in listed.datasets] == [dataset_id]
    client.delete_dataset(dataset_id, models.DeleteDatasetRequest())


def test_an_experiment_has_runs_with_metrics(client: Client) -> None:
    wanted = models.CreateExperimentRequest(name="实验", workspace_id=WORKSPACE, artifact_uri="oss://emulator/e/")
    experiment_id = client.create_experiment(wanted).body.experiment_id
    params = [models.RunParam(key="lr", value="0.1")]
    run_id = client.create_run(
        models.CreateRunRequest(
            experiment_id=experiment_id, name="r", source_type="TrainingService", source_id="train1", params=params
        )
    ).body.run_id
    points = [models.RunMetric(key="loss", value=1 / (step + 1), step=step, timestamp=step) for step in range(3)]
    client.log_run_metrics(run_id, models.LogRunMetricsRequest(metrics=points))
    told = client.list_run_metrics(run_id, models.ListRunMetricsRequest(key="loss", max_results=2)).body
    assert ([point.step for point in told.metrics], told.next_page_token) == ([0, 1], 2)
    run = client.get_run(run_id, models.GetRunRequest(verbose=True)).body
    assert (run.params[0].value, run.metrics[0].value) == ("0.1", pytest.approx(1 / 3))
    listed = client.list_experiment(models.ListExperimentRequest(workspace_id=WORKSPACE, verbose=True)).body
    assert [each.latest_run.run_id for each in listed.experiments] == [run_id]
    client.delete_experiment(experiment_id, models.DeleteExperimentRequest())
