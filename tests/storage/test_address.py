"""Addresses and endpoints, without any service."""

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.storage import OssUrl, parse_oss_url
from pai_jupyter.storage.address import check_key, endpoint_url, region_of
from tests.support.storages import LEADING_OUT, ODD_NAMES


@pytest.mark.parametrize(
    ("url", "bucket", "endpoint", "key"),
    [
        ("oss://my-bucket", "my-bucket", None, ""),
        ("oss://my-bucket/", "my-bucket", None, ""),
        ("oss://my-bucket/path/to/train/data/", "my-bucket", None, "path/to/train/data/"),
        ("oss://my-bucket.oss-cn-beijing.aliyuncs.com/a/b.csv", "my-bucket", "oss-cn-beijing.aliyuncs.com", "a/b.csv"),
        (
            "oss://my-bucket.oss-cn-beijing-internal.aliyuncs.com/",
            "my-bucket",
            "oss-cn-beijing-internal.aliyuncs.com",
            "",
        ),
        ("oss://my-bucket.127.0.0.1:8080/a", "my-bucket", "127.0.0.1:8080", "a"),
        ("oss://my-bucket.localhost:8080", "my-bucket", "localhost:8080", ""),
        ("oss://my-bucket/a?b#c%20d e/训练\nx", "my-bucket", None, "a?b#c%20d e/训练\nx"),
    ],
)
def test_what_an_address_names(url: str, bucket: str, endpoint: str | None, key: str) -> None:
    parsed = parse_oss_url(url)
    assert (parsed.bucket_name, parsed.endpoint, parsed.object_key) == (bucket, endpoint, key)
    assert parse_oss_url(str(parsed)) == parsed


@pytest.mark.parametrize(
    "url",
    [
        "",
        "oss://",
        "oss:///key",
        "my-bucket/key",
        "s3://my-bucket/key",
        "oss://<YourOssBucket>/data/",
        "oss://My_Bucket/x",
        "oss://my-bucket:80/x",
        "oss://my-bucket.host:port/x",
        "oss://my-bucket//key",
        "oss://user:secret@my-bucket/x",
    ],
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(SpecError, match="oss://BUCKET/KEY"):
        parse_oss_url(url)


def test_the_documents_way_to_build_an_address() -> None:
    for endpoint in ("https://oss-cn-shanghai.aliyuncs.com", "http://127.0.0.1:9000"):
        url = "oss://{}.{}/custom-job-example/output/".format("my-bucket", endpoint.strip("https://"))  # noqa: B005
        assert parse_oss_url(url) == OssUrl(
            bucket_name="my-bucket", endpoint=endpoint.partition("://")[2], object_key="custom-job-example/output/"
        )


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_are_keys(name: str) -> None:
    check_key(f"sub/{name}")
    check_key(f"{name}/")


@pytest.mark.parametrize("key", LEADING_OUT)
def test_what_leads_out_is_no_key(key: str) -> None:
    with pytest.raises(SpecError, match="refused"):
        check_key(key)


def test_a_hostile_key_is_shown_short_and_harmless() -> None:
    with pytest.raises(SpecError) as caught:
        check_key("../\x1b[2J\n" + "x" * 10_000)
    assert len(str(caught.value)) < 500
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("endpoint", "region", "url"),
    [
        ("oss-cn-shanghai.aliyuncs.com", None, "https://oss-cn-shanghai.aliyuncs.com"),
        ("http://oss-cn-shanghai.aliyuncs.com/", None, "http://oss-cn-shanghai.aliyuncs.com"),
        ("127.0.0.1:8080", None, "http://127.0.0.1:8080"),
        ("localhost:8080", None, "http://localhost:8080"),
        ("https://127.0.0.1:8080", None, "https://127.0.0.1:8080"),
        (None, "cn-shanghai", "https://oss-cn-shanghai.aliyuncs.com"),
        ("", "cn-shanghai", "https://oss-cn-shanghai.aliyuncs.com"),
    ],
)
def test_an_endpoint_gets_its_scheme(endpoint: str | None, region: str | None, url: str) -> None:
    assert endpoint_url(endpoint, region) == url


@pytest.mark.parametrize("endpoint", ["ftp://host", "host/path", "host:port", "a b", "host\r\nX-Evil: 1", None])
def test_what_is_no_endpoint(endpoint: str | None) -> None:
    with pytest.raises(SpecError):
        endpoint_url(endpoint, None)


@pytest.mark.parametrize(
    ("endpoint", "region"),
    [
        ("https://oss-cn-shanghai.aliyuncs.com", "cn-shanghai"),
        ("oss-cn-shanghai-internal.aliyuncs.com", "cn-shanghai"),
        ("vpc100-oss-cn-hangzhou.aliyuncs.com", "cn-hangzhou"),
        ("oss-us-west-1.aliyuncs.com", "us-west-1"),
        ("oss-accelerate.aliyuncs.com", None),
        ("oss-accelerate-overseas.aliyuncs.com", None),
        ("my.own.domain", None),
        ("http://127.0.0.1:80", None),
    ],
)
def test_the_region_in_the_name_of_an_endpoint(endpoint: str, region: str | None) -> None:
    assert region_of(endpoint) == region
