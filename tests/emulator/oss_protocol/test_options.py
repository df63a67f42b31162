"""Storage classes, encryption and tags of objects in the emulator's OSS: told again as they were given, or refused."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pai_jupyter.storage.oss.connection import load
from tests.support.buckets import AUTHS, Bucket, bucket_of, emptied, refused
from tests.support.emulators import Emulator

oss2 = load()
PART = 100 * 1024
GIVEN = {
    "x-oss-storage-class": "IA",
    "x-oss-server-side-encryption": "KMS",
    "x-oss-server-side-encryption-key-id": "key-1",
    "x-oss-server-side-data-encryption": "SM4",
    "x-oss-tagging": "team=vision&%E8%AE%AD%E7%BB%83=a+b",
}
TOLD = {name: value for name, value in GIVEN.items() if name != "x-oss-tagging"} | {"x-oss-tagging-count": "2"}


@pytest.fixture
def bucket(running: Emulator) -> Iterator[Bucket]:
    with emptied(bucket_of(running, AUTHS["v4"]())) as bucket:
        yield bucket


def tags(bucket: Bucket, key: str) -> dict[str, str]:
    found: dict[str, str] = bucket.get_object_tagging(key).tag_set.tagging_rule
    return found


def put(bucket: Bucket, key: str) -> Any:  # Any: oss2 has no types
    return bucket.put_object(key, b"x", headers=GIVEN)


def append(bucket: Bucket, key: str) -> Any:  # Any: oss2 has no types
    return bucket.append_object(key, 0, b"x", headers=GIVEN)


def in_parts(bucket: Bucket, key: str) -> Any:  # Any: oss2 has no types
    upload_id = bucket.init_multipart_upload(key, headers=GIVEN).upload_id
    part = bucket.upload_part(key, upload_id, 1, b"x")
    return bucket.complete_multipart_upload(key, upload_id, [oss2.models.PartInfo(1, part.etag)])


@pytest.mark.parametrize("store", [put, append, in_parts])
def test_what_an_object_is_given_is_told_again(bucket: Bucket, store: Callable[[Bucket, str], Any]) -> None:
    stored = store(bucket, "given")
    assert stored.headers["x-oss-server-side-encryption"] == "KMS"
    for answer in (bucket.head_object("given"), bucket.get_object("given")):
        assert {name: answer.headers.get(name) for name in TOLD} == TOLD
        assert "x-oss-tagging" not in answer.headers
    assert tags(bucket, "given") == {"team": "vision", "训练": "a b"}
    assert [found.storage_class for found in oss2.ObjectIterator(bucket)] == ["IA"]


def test_an_object_without_options_is_a_standard_one(bucket: Bucket) -> None:
    bucket.put_object("plain", b"x")
    headers = bucket.head_object("plain").headers
    assert headers["x-oss-storage-class"] == "Standard"
    assert "x-oss-tagging-count" not in headers
    assert "x-oss-server-side-encryption" not in headers


def test_a_copy_has_the_tags_of_its_source_but_not_its_class(bucket: Bucket) -> None:
    put(bucket, "source")
    bucket.copy_object(bucket.bucket_name, "source", "copy")
    assert tags(bucket, "copy") == {"team": "vision", "训练": "a b"}
    assert bucket.head_object("copy").headers["x-oss-storage-class"] == "Standard"
    asked = {"x-oss-tagging-directive": "Replace", "x-oss-tagging": "a=1", "x-oss-storage-class": "IA"}
    bucket.copy_object(bucket.bucket_name, "source", "copy", headers=asked)
    assert tags(bucket, "copy") == {"a": "1"}
    assert bucket.head_object("copy").headers["x-oss-storage-class"] == "IA"


def test_tags_are_replaced_and_removed(bucket: Bucket) -> None:
    bucket.put_object("tagged", b"x", headers={"x-oss-meta-kept": "yes"})
    rules = oss2.models.TaggingRule()
    rules.add("owner", "li")
    bucket.put_object_tagging("tagged", oss2.models.Tagging(rules))
    assert tags(bucket, "tagged") == {"owner": "li"}
    bucket.delete_object_tagging("tagged")
    assert tags(bucket, "tagged") == {}
    assert bucket.head_object("tagged").headers["x-oss-meta-kept"] == "yes"


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"x-oss-storage-class": "Archive"}, 501, "NotImplemented"),
        ({"x-oss-storage-class": "Cheap"}, 400, "InvalidArgument"),
        ({"x-oss-server-side-encryption": "ROT13"}, 400, "InvalidEncryptionAlgorithmError"),
        ({"x-oss-server-side-encryption-key-id": "key-1"}, 400, "InvalidArgument"),
        ({"x-oss-tagging": "a=1&a=2"}, 400, "InvalidTag"),
        ({"x-oss-tagging": "&".join(f"k{number}=1" for number in range(11))}, 400, "InvalidTag"),
        ({"x-oss-tagging": f"{'k' * 129}=1"}, 400, "InvalidTag"),
        ({"x-oss-callback": "eyJ9"}, 501, "NotImplemented"),
    ],
)
def test_an_option_that_cannot_be_kept_is_refused(
    bucket: Bucket, headers: dict[str, str], status: int, code: str
) -> None:
    assert refused(lambda: bucket.put_object("key", b"x", headers=headers)) == (status, code)
    assert not bucket.object_exists("key")


@pytest.mark.parametrize(
    ("given", "code"), [({"storage_class": "IA"}, "NotImplemented"), ({"redundancy_type": "ZRS"}, "NotImplemented")]
)
def test_a_bucket_of_another_kind_is_refused(running: Emulator, given: dict[str, str], code: str) -> None:
    other = bucket_of(running, AUTHS["v4"](), name="of-another-kind")
    names = {"storage_class": oss2.BUCKET_STORAGE_CLASS_STANDARD, "redundancy_type": None, **given}
    config = oss2.models.BucketCreateConfig(names["storage_class"], names["redundancy_type"])
    assert refused(lambda: other.create_bucket(input=config)) == (501, code)
