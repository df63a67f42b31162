"""Our requests against those of the official clients, field by field, and what cannot be a request."""

import json
import re
from typing import Any

import httpx
import pytest

from pai_jupyter.cloud.client import Endpoints, Operation, aiworkspace, dlc, paiflow, paistudio, sts
from pai_jupyter.cloud.client.request import UnsignedRequest, prepare
from pai_jupyter.errors import SpecError
from tests.support.paths import DATA

REQUESTS: list[dict[str, Any]] = json.loads((DATA / "pai_requests.json").read_text())
OFFICIAL = {(row["version"], row["action"]): row for row in json.loads((DATA / "pai_operations.json").read_text())}
TABLES = (paistudio, aiworkspace, dlc, paiflow, sts)
OPERATIONS = [value for table in TABLES for value in vars(table).values() if isinstance(value, Operation)]
OURS = {(operation.service.version, operation.action): operation for operation in OPERATIONS}
SHANGHAI = Endpoints(region="cn-hangzhou")

# Where we do not send what the official client sent, and why.
KNOWN_DIFFERENCES = {
    "GetCallerIdentity": "signed by ACS3, action and version are headers; alipai's older signature puts all in the query",
}


def call(operation: Operation, **parameters: Any) -> UnsignedRequest:  # Any: parameters of prepare
    return prepare(operation, SHANGHAI.base_url(operation.service.origin), **parameters)


def path_parameters(operation: Operation, path: str) -> dict[str, str]:
    """The parameters in an official client's path, which came back decoded."""
    found = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>.+)", operation.path), path)
    assert found is not None
    return found.groupdict()


@pytest.mark.parametrize("official", REQUESTS, ids=lambda row: f"{row['name']}-{row['action']}")
def test_our_request_is_the_official_clients(official: dict[str, Any]) -> None:
    operation = OURS[official["version"], official["action"]]
    is_known = official["action"] in KNOWN_DIFFERENCES
    ours = call(
        operation,
        path=path_parameters(operation, official["path_decoded"]),
        query={} if is_known else official["query"],
        body=official["body"],
    )
    url = httpx.URL(ours.url)
    assert ours.method == official["method"]
    assert url.host == official["host"]
    assert url.raw_path.decode().partition("?")[0] == official["path"]
    assert dict(url.params) == ({} if is_known else official["wire_query"])
    assert ours.headers.get("content-type") == official["content_type"]
    assert (json.loads(ours.body) if ours.body else None) == official["body"]
    assert (ours.headers["x-acs-action"], ours.headers["x-acs-version"]) == (operation.action, official["version"])


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.action)
def test_our_tables_are_the_official_clients(operation: Operation) -> None:
    if operation is sts.GET_CALLER_IDENTITY:
        return  # not among the generated clients; its request is compared above
    official = OFFICIAL[operation.service.version, operation.action]
    assert (operation.method, operation.path) == (official["method"], official["path"])
    assert operation.style == {"json": "json", "formData": "form"}[official["req_body_type"]]


def test_only_calls_that_are_the_same_done_twice_are_repeatable() -> None:
    once = {operation.action for operation in OPERATIONS if not operation.is_repeatable}
    assert once == {
        "CreateTrainingJob",
        "CreateAlgorithm",
        "CreateAlgorithmVersion",
        "CreateDataset",
        "CreateExperiment",
        "CreateRun",
        "LogRunMetrics",
        "CreateJob",
        "CreateTensorboard",
        "CreatePipeline",
        "CreatePipelineRun",
    }


def test_the_url_is_the_canonical_form_and_httpx_leaves_it_so() -> None:
    ours = call(
        paistudio.LIST_TRAINING_JOBS,
        query={"TrainingJobName": "a b*~/中", "IsTempAlgo": True, "Labels": {"k": "v 1"}, "PageSize": 5, "Order": None},
    )
    query = "IsTempAlgo=True&Labels=%7B%22k%22%3A%22v%201%22%7D&PageSize=5&TrainingJobName=a%20b%2A~%2F%E4%B8%AD"
    assert ours.url == f"https://pai.cn-hangzhou.aliyuncs.com/api/v1/trainingjobs?{query}"
    assert httpx.URL(ours.url).raw_path.decode() == f"/api/v1/trainingjobs?{query}"


def test_a_list_in_the_query_is_joined_by_commas() -> None:
    ours = call(dlc.LIST_ECS_SPECS, query={"InstanceTypes": ["ecs.a", "ecs.b"]})
    assert ours.url.endswith("?InstanceTypes=ecs.a%2Cecs.b")


def test_a_form_holds_its_objects_as_json() -> None:
    ours = call(
        paistudio.CREATE_ALGORITHM_VERSION,
        path={"algorithm_id": "algo-1", "algorithm_version": "1.0.0"},
        body={"AlgorithmSpec": {"Command": ["echo 你好"]}, "Description": None},
    )
    assert ours.headers["content-type"] == "application/x-www-form-urlencoded"
    assert dict(httpx.QueryParams(ours.body.decode())) == {"AlgorithmSpec": '{"Command":["echo 你好"]}'}


@pytest.mark.parametrize("job", ["", ".", ".."])
def test_an_id_that_would_make_another_call_is_refused(job: str) -> None:
    with pytest.raises(SpecError, match="training_job_id") as caught:
        call(paistudio.DELETE_TRAINING_JOB, path={"training_job_id": job})
    assert caught.value.field == "training_job_id"


@pytest.mark.parametrize("job", ["a/b", "../x", "a?b=c", "a#b", "a%2Fb", "a b", "a\nb", "训练", "a'; echo x"])
def test_an_odd_id_stays_one_segment_of_the_path(job: str) -> None:
    url = httpx.URL(call(paistudio.STOP_TRAINING_JOB, path={"training_job_id": job}).url)
    head, tail = "/api/v1/trainingjobs/", "/stop"
    raw = url.raw_path.decode()
    assert raw.startswith(head)
    assert raw.endswith(tail)
    assert "/" not in raw.removeprefix(head).removesuffix(tail)
    assert url.path == f"{head}{job}{tail}"


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, "\ud800"], ids=["nan", "set", "half a character"])
def test_what_cannot_be_written_is_refused_before_anything_is_sent(value: Any) -> None:
    with pytest.raises(SpecError, match="CreateJob cannot be written"):
        call(dlc.CREATE_JOB, body={"DisplayName": value})


@pytest.mark.parametrize(
    ("endpoints", "url"),
    [
        (Endpoints(region="cn-shanghai"), "https://pai-dlc.cn-shanghai.aliyuncs.com"),
        (Endpoints(region="ap-southeast-1", network="vpc"), "https://pai-dlc-vpc.ap-southeast-1.aliyuncs.com"),
        (Endpoints(region="cn-shanghai", address="http://127.0.0.1:8080/"), "http://127.0.0.1:8080"),
        (Endpoints(region="cn-shanghai", address="http://[::1]:8080"), "http://[::1]:8080"),
        (Endpoints(region="cn-shanghai", address="https://pai.example.com"), "https://pai.example.com"),
    ],
)
def test_hosts_are_formed_by_region_and_network(endpoints: Endpoints, url: str) -> None:
    assert endpoints.base_url("https://pai-dlc") == url


@pytest.mark.parametrize("region", ["", "cn", "cn-shanghai.evil.com/", "cn-shanghai\n", "cn shanghai", "CN-SHANGHAI"])
def test_a_region_that_would_form_another_host_is_refused(region: str) -> None:
    with pytest.raises(SpecError, match="region"):
        Endpoints(region=region)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "pai.example.com",
        "ftp://pai.example.com",
        "http://pai.example.com",  # a key's use, for everybody on the way
        "http://10.0.0.1:80",
        "https://user:password@pai.example.com",
        "https://pai.example.com/path",
        "https://pai.example.com?query",
        "https://pai.example.com:port",
        "https://[::1",
    ],
)
def test_an_address_that_is_none_or_unsafe_is_refused(address: str) -> None:
    with pytest.raises(SpecError) as caught:
        Endpoints(region="cn-shanghai", address=address)
    assert "password" not in str(caught.value)
