"""The emulator's bucket as `oss2` has it: signed in each way, addressed in either style, and refused."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pai_jupyter.storage.oss.connection import load
from tests.support.emulators import BUCKET, KEY, REGION, SECRET, STS_KEY, STS_SECRET, STS_TOKEN, Emulator

oss2 = load()
Bucket = Any  # oss2 has no types
AUTHS: dict[str, Callable[[], Any]] = {
    "v1": lambda: oss2.Auth(KEY, SECRET),
    "v2": lambda: oss2.AuthV2(KEY, SECRET),
    "v4": lambda: oss2.AuthV4(KEY, SECRET),
    "sts v1": lambda: oss2.StsAuth(STS_KEY, STS_SECRET, STS_TOKEN),
    "sts v2": lambda: oss2.StsAuth(STS_KEY, STS_SECRET, STS_TOKEN, auth_version="v2"),
    "sts v4": lambda: oss2.StsAuth(STS_KEY, STS_SECRET, STS_TOKEN, auth_version="v4"),
}


def bucket_of(running: Emulator, auth: Any, *, name: str = BUCKET, style: str = "path", region: str = REGION) -> Bucket:
    if style == "path":
        return oss2.Bucket(auth, running.address, name, region=region)
    # Nobody's DNS knows these hosts: the emulator is asked as a proxy is, by their whole addresses.
    endpoint = "http://oss-cn-emulator.aliyuncs.com"
    return oss2.Bucket(auth, endpoint, name, region=region, proxies={"http": running.address})


def refused(action: Callable[[], object]) -> tuple[int, str]:
    with pytest.raises(oss2.exceptions.OssError) as caught:
        action()
    return caught.value.status, caught.value.code


@contextmanager
def emptied(bucket: Bucket) -> Iterator[Bucket]:
    """The bucket, without objects again behind the test."""
    yield bucket
    for found in oss2.ObjectIterator(bucket):
        bucket.delete_object(found.key)
