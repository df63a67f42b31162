"""The official generated client, unchanged but for endpoint and protocol, uses the emulator's PaiStudio."""

import time
from typing import Any

import pytest
from alibabacloud_paistudio20220112 import models
from alibabacloud_paistudio20220112.client import Client
from darabonba.exceptions import DaraException

from tests.support.emulators import (
    DEADLINE,
    STS_KEY,
    STS_SECRET,
    STS_TOKEN,
    TERMINAL,
    WORKSPACE,
    Emulator,
    training_job,
)


@pytest.fixture(scope="module", params=[None, "v2"], ids=["ACS3", "HMAC-SHA1"])
def client(running: Emulator, request: pytest.FixtureRequest) -> Client:
    return Client(running.config(signature_algorithm=request.param))


def create(client: Client, command: str, **more: Any) -> str:
    body = models.CreateTrainingJobRequest().from_map(training_job(command, **more))
    return str(client.create_training_job(body).body.training_job_id)


def ended(client: Client, job_id: str) -> Any:  # Any: a model of the client
    deadline = time.monotonic() + DEADLINE
    while (job := client.get_training_job(job_id).body).status not in TERMINAL:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return job


def test_a_job_runs_and_tells_its_log(client: Client) -> None:
    job_id = create(client, "echo 训练; echo loss: 0.5", Labels=[{"Key": "team a", "Value": "视觉 *~"}])
    job = ended(client, job_id)
    assert (job.status, job.instances[0].name) == ("Succeed", f"{job_id}-master-0")
    assert [each.status for each in job.status_transitions][-2:] == ["Running", "Succeed"]
    answer = client.list_training_job_logs(job_id, models.ListTrainingJobLogsRequest(page_size=10)).body
    assert (answer.logs, answer.total_count) == (["训练", "loss: 0.5"], "2")


def test_jobs_are_listed_by_label(client: Client) -> None:
    job_id = create(client, "true", Labels=[{"Key": "only", "Value": "this one/训练 *~"}])
    wanted = models.ListTrainingJobsRequest(labels={"only": "this one/训练 *~"}, is_temp_algo=True)
    listed = client.list_training_jobs(wanted).body
    assert job_id in [job.training_job_id for job in listed.training_jobs]
    assert all(label.key == "only" for job in listed.training_jobs for label in job.labels)
    ended(client, job_id)


def test_a_running_job_is_stopped_and_deleted(client: Client) -> None:
    job_id = create(client, "sleep 60")
    client.stop_training_job(job_id)
    assert ended(client, job_id).status == "Terminated"
    client.delete_training_job(job_id)
    with pytest.raises(DaraException) as refused:
        client.get_training_job(job_id)
    assert refused.value.code == "TrainingJobNotFound"


def test_an_algorithm_is_registered_by_forms_and_run_by_name(client: Client) -> None:
    name = f"algorithm-{time.time_ns()}"
    made = client.create_algorithm(models.CreateAlgorithmRequest(algorithm_name=name, workspace_id=WORKSPACE)).body
    spec = models.AlgorithmSpec().from_map(training_job("echo $PAI_USER_ARGS 训练")["AlgorithmSpec"])
    version = models.CreateAlgorithmVersionRequest(algorithm_spec=spec)
    client.create_algorithm_version(made.algorithm_id, "0.1.0", version)
    assert client.get_algorithm_version(made.algorithm_id, "0.1.0").body.algorithm_spec.job_type == "PyTorchJob"
    body = {**training_job(), "AlgorithmName": name, "HyperParameters": [{"Name": "lr", "Value": "0.1"}]}
    del body["AlgorithmSpec"]
    job_id = client.create_training_job(models.CreateTrainingJobRequest().from_map(body)).body.training_job_id
    assert ended(client, job_id).algorithm_name == name
    lines = client.list_training_job_logs(job_id, models.ListTrainingJobLogsRequest()).body.logs
    assert lines == ["--lr 0.1 训练"]


def test_labels_are_changed_and_removed(client: Client) -> None:
    job_id = create(client, "true", Labels=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}])
    added = [models.UpdateTrainingJobLabelsRequestLabels(key="b", value="3")]
    client.update_training_job_labels(job_id, models.UpdateTrainingJobLabelsRequest(labels=added))
    client.delete_training_job_labels(job_id, models.DeleteTrainingJobLabelsRequest(keys="a"))
    assert [(label.key, label.value) for label in ended(client, job_id).labels] == [("b", "3")]


def test_other_reports_are_read(client: Client) -> None:
    metrics = [{"Name": "loss", "Regex": r"loss=([0-9.]+)"}]
    job_id = create(client, "echo loss=0.5; echo loss=0.25", MetricDefinitions=metrics)
    ended(client, job_id)
    values = client.list_training_job_metrics(job_id, models.ListTrainingJobMetricsRequest(name="loss")).body.metrics
    assert [each.value for each in values] == [0.5, 0.25]
    latest = client.get_training_job_latest_metrics(
        job_id, models.GetTrainingJobLatestMetricsRequest(names="loss")
    ).body
    assert [(each.name, each.value) for each in latest.metrics] == [("loss", 0.25)]
    events = client.list_training_job_events(job_id, models.ListTrainingJobEventsRequest()).body
    assert events.total_count == str(len(events.events))
    of_instance = models.ListTrainingJobInstanceEventsRequest()
    assert client.list_training_job_instance_events(job_id, f"{job_id}-master-0", of_instance).body.events
    usage = models.ListTrainingJobInstanceMetricsRequest(metric_type="CpuCoreUsage", time_step="10s")
    assert client.list_training_job_instance_metrics(job_id, usage).body.instance_metrics[0].instance_id
    assert client.get_training_job_error_info(job_id).body


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ({"access_key_secret": "wrong"}, "SignatureDoesNotMatch"),
        ({"access_key_id": "nobody"}, "InvalidAccessKeyId.NotFound"),
        ({"access_key_id": STS_KEY, "access_key_secret": STS_SECRET}, "MissingSecurityToken"),
        ({"security_token": "guessed"}, "InvalidSecurityToken.MismatchWithAccessKey"),
    ],
)
def test_wrong_keys_are_refused(running: Emulator, config: dict[str, str], code: str) -> None:
    with pytest.raises(DaraException) as refused:
        Client(running.config(**config)).list_training_jobs(models.ListTrainingJobsRequest())
    assert refused.value.code == code


def test_a_temporary_key_is_let_in(running: Emulator) -> None:
    client = Client(running.config(access_key_id=STS_KEY, access_key_secret=STS_SECRET, security_token=STS_TOKEN))
    assert client.list_training_jobs(models.ListTrainingJobsRequest()).body.total_count is not None


def test_the_last_value_of_each_metric_is_told_and_chosen_by_name(client: Client) -> None:
    defined = [{"Name": name, "Regex": rf"{name}=(\S+)"} for name in ("loss", "auc")]
    job_id = create(client, "echo loss=0.5 auc=0.7; echo loss=0.25", MetricDefinitions=defined)
    ended(client, job_id)
    for names, told in (("", {"loss": 0.25, "auc": 0.7}), ("auc", {"auc": 0.7}), ("auc,none", {"auc": 0.7})):
        asked = models.GetTrainingJobLatestMetricsRequest(names=names)
        metrics = client.get_training_job_latest_metrics(job_id, asked).body.metrics
        assert {metric.name: metric.value for metric in metrics} == told


def test_versions_of_an_algorithm_are_listed_in_pages(client: Client) -> None:
    name = f"algorithm-{time.time_ns()}"
    made = client.create_algorithm(models.CreateAlgorithmRequest(algorithm_name=name, workspace_id=WORKSPACE)).body
    spec = models.AlgorithmSpec().from_map(training_job()["AlgorithmSpec"])
    for number in ("0.1.0", "0.2.0"):
        version = models.CreateAlgorithmVersionRequest(algorithm_spec=spec)
        client.create_algorithm_version(made.algorithm_id, number, version)
    asked = models.ListAlgorithmVersionsRequest(page_number=2, page_size=1)
    answer = client.list_algorithm_versions(made.algorithm_id, asked).body
    assert [version.algorithm_version for version in answer.algorithm_versions] == ["0.2.0"]
    assert answer.total_count == 2
