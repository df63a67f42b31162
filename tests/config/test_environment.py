"""Secrets that are known by their value: what a local job does not inherit, and what is named to its user instead."""

import pytest

from pai_jupyter.config import held_back, inherited_environment
from pai_jupyter.contract import is_secret
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import MASKED, JobRecord

SECRET_VALUES = {
    "DATABASE_URL": "postgres://app:s3cr3t-pw@db.local:5432/x",
    "CELERY_BROKER": "redis://:s3cr3t-pw@cache:6379/0",
    "REMOTE": "https://user:s3cr3t-pw@git.example/r.git",
    "AWS_ID": "AKIA" + "IOSFODNN7EXAMPLE",
    "ALI": "LTAI" + "5tQkLmNoPqRsTuVw",
    "GH": "ghp_" + "a1B2" * 9,
    "GH_FINE": "github_pat_" + "a1B2" * 9,
    "GL": "glpat-" + "a1B2" * 5,
    "HUB": "hf_" + "a1B2" * 8,
    "OPENAI": "sk-proj-" + "a1B2" * 8,
    "SLACK": "xoxb-" + "123456789012-abcdef",
    "JWT": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    "PEM": "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n",
    "HEADER": "Authorization: Bearer " + "abcdefghijklmnop.1234",
    "AZURE": "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + "c2VjcmV0c2VjcmV0==",
    "ODBC": "Driver=x;Server=y;Uid=z;Pwd=s3cr3t-pw",
    "SIGNED": "https://bucket.oss/x?Expires=1&Signature=abc%3D",
}
INNOCENT = {
    "HTTPS_PROXY": "http://user:s3cr3t-pw@proxy:3128",
    "all_proxy": "socks5://user:s3cr3t-pw@proxy:1080",
    "PIP_INDEX_URL": "https://user:s3cr3t-pw@index.example/simple",
    "UV_EXTRA_INDEX_URL": "https://user:s3cr3t-pw@index.example/simple",
    "npm_config_registry": "https://user:s3cr3t-pw@registry.example/",
    "PAGE": "https://example.com:8443/a?b=c",
    "TIME": "2026-01-01T10:00:00+00:00",
    "PATH": "/usr/bin:/home/sk-learn/bin",
    "NAME": "disk-usage-monitoring-service",
    "TEXT": "a basic introduction to passwords",
    "MAIL": "mailto:someone@example.com",
    "SHORT": "a:b@c",
    "EMPTY": "",
}


@pytest.mark.parametrize("name", SECRET_VALUES)
def test_a_value_that_looks_like_a_secret_is_one_whatever_its_name(name: str) -> None:
    value = SECRET_VALUES[name]
    assert is_secret(name, value)
    assert inherited_environment({name: value}) == {}
    assert held_back({name: value}) == [name]


@pytest.mark.parametrize("name", INNOCENT)
def test_what_only_resembles_one_is_inherited(name: str) -> None:
    assert inherited_environment({name: INNOCENT[name]}) == {name: INNOCENT[name]}
    assert held_back({name: INNOCENT[name]}) == []


def test_what_belongs_to_the_kernel_is_not_named_as_held_back() -> None:
    assert held_back({"JPY_API_TOKEN": "x" * 20, "PAI_HPS_TOKEN": "y", "MY_TOKEN": "z", "NO_TOKEN": ""}) == ["MY_TOKEN"]


def test_a_record_keeps_no_variable_that_looks_like_a_secret() -> None:
    spec = JobSpec(name="a", command=f"run {SECRET_VALUES['DATABASE_URL']}", environments=SECRET_VALUES)
    record = JobRecord(id="j1", spec=spec, backend="process", created=0.0).to_json()
    assert "s3cr3t" not in str(record)
    assert isinstance(record["spec"], dict)
    assert record["spec"]["environments"] == dict.fromkeys(SECRET_VALUES, MASKED)
