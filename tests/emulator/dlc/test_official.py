"""The official generated client of DLC, unchanged but for endpoint and protocol, uses the emulator."""

import time
from typing import Any
from urllib.request import urlopen

import pytest
from alibabacloud_pai_dlc20201203 import models
from alibabacloud_pai_dlc20201203.client import Client
from darabonba.exceptions import DaraException

from tests.support.emulators import DEADLINE, WORKSPACE, Emulator


@pytest.fixture(scope="module", params=[None, "v2"], ids=["ACS3", "HMAC-SHA1"])
def client(running: Emulator, request: pytest.FixtureRequest) -> Client:
    return Client(running.config(signature_algorithm=request.param))


def test_a_job_of_several_roles_runs_and_tells_its_log(client: Client) -> None:
    image = "registry.cn-emulator.aliyuncs.com/pai-dlc/pytorch-training:2.0-cpu-py310-ubuntu22.04"
    roles = [
        models.JobSpec(type=kind, image=image, pod_count=1, ecs_spec="ecs.c6.large") for kind in ("Master", "Worker")
    ]
    made = client.create_job(
        models.CreateJobRequest(
            workspace_id=WORKSPACE,
            display_name="j",
            job_type="PyTorchJob",
            user_command="echo $A 训练 $RANK",
            job_specs=roles,
            envs={"A": "b"},
        )
    ).body
    job = ended(client, made.job_id)
    assert (job.status, job.job_specs[1].type, [pod.type for pod in job.pods]) == (
        "Succeeded",
        "Worker",
        ["Master", "Worker"],
    )
    logs = client.get_pod_logs(
        made.job_id, job.pods[1].pod_id, models.GetPodLogsRequest(pod_uid=job.pods[1].pod_uid)
    ).body
    assert (logs.logs, logs.pod_id) == (["b 训练 1"], job.pods[1].pod_id)
    events = client.get_job_events(made.job_id, models.GetJobEventsRequest(max_events_num=1)).body.events
    assert len(events) == 1
    listed = client.list_jobs(models.ListJobsRequest(workspace_id=WORKSPACE, job_ids=made.job_id, page_size=10)).body
    assert (listed.total_count, listed.jobs[0].user_command) == (1, "echo $A 训练 $RANK")
    assert client.stop_job(made.job_id).body.job_id == made.job_id
    client.delete_job(made.job_id)
    with pytest.raises(DaraException, match="JobNotFound"):
        client.get_job(made.job_id, models.GetJobRequest())


def ended(client: Client, job_id: str) -> Any:  # Any: a model of the client
    deadline = time.monotonic() + DEADLINE
    while (job := client.get_job(job_id, models.GetJobRequest()).body).status not in ("Succeeded", "Failed", "Stopped"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return job


def test_an_app_is_made_looked_at_and_deleted(client: Client, running: Emulator) -> None:
    running.put("logs/x", "")
    made = client.create_tensorboard(
        models.CreateTensorboardRequest(
            workspace_id=WORKSPACE,
            display_name="tb",
            data_source_type="OSS",
            uri=f"oss://emulator.{running.host}/logs/",
            summary_relative_path="/",
            source_id="train1",
            source_type="TrainingJob",
            max_running_time_minutes=60,
        )
    ).body
    app, where = made.tensorboard_id, models.GetTensorboardRequest(workspace_id=WORKSPACE)
    deadline = time.monotonic() + DEADLINE
    while (shown := client.get_tensorboard(app, where).body).status != "Running":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    with urlopen(shown.tensorboard_url, timeout=DEADLINE) as page:
        assert page.status == 200
    by_source = models.ListTensorboardsRequest(workspace_id=WORKSPACE, source_type="TrainingJob", source_id="train1")
    assert [each.tensorboard_id for each in client.list_tensorboards(by_source).body.tensorboards] == [app]
    change = models.UpdateTensorboardRequest(workspace_id=WORKSPACE, max_running_time_minutes=90)
    client.update_tensorboard(app, change)
    assert client.get_tensorboard(app, where).body.max_running_time_minutes == 90
    shared = client.get_tensorboard_shared_url(
        app, models.GetTensorboardSharedUrlRequest(expire_time_seconds="60")
    ).body
    assert shared.tensorboard_shared_url == shown.tensorboard_url
    client.stop_tensorboard(app, models.StopTensorboardRequest(workspace_id=WORKSPACE))
    client.start_tensorboard(app, models.StartTensorboardRequest(workspace_id=WORKSPACE))
    client.delete_tensorboard(app, models.DeleteTensorboardRequest(workspace_id=WORKSPACE))
    assert client.list_tensorboards(by_source).body.total_count == 0


def test_machines_are_listed(client: Client) -> None:
    wanted = models.ListEcsSpecsRequest(accelerator_type="GPU", sort_by="Memory", order="desc", page_size=2)
    answer = client.list_ecs_specs(wanted).body
    first = answer.ecs_specs[0]
    assert (first.instance_type, first.gpu, first.is_available, len(answer.ecs_specs)) == (
        "ecs.gn8is-8x.32xlarge",
        8,
        False,
        2,
    )
    assert answer.total_count > 2
