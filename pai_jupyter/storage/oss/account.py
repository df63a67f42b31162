"""List the buckets and regions of an account, to set up or check a session."""

from pai_jupyter.storage.oss.connection import bucket, service
from pai_jupyter.storage.oss.faults import oss_errors
from pai_jupyter.storage.oss.retry import retrying
from pai_jupyter.storage.progress import TransferProgress
from pai_jupyter.storage.protocol import Credentials

_PREFIX = "oss-"  # prefix of OSS's region names
_ASKED = "cn-hangzhou"  # lists the regions; any region's endpoint can


def list_buckets(*, credentials: Credentials, region: str, endpoint: str | None = None) -> list[str]:
    """List the names of the account's buckets in `region`.

    Raises:
        BackendError: OSS rejects the request or does not answer.
    """
    with oss_errors("listing buckets"):
        asked = service(credentials=credentials, endpoint=endpoint, region=region)
        found: list[str] = []
        marker, is_truncated = "", True
        while is_truncated:
            page = retrying(lambda: asked.list_buckets(marker=marker), TransferProgress())  # noqa: B023  it runs at once
            found += [each.name for each in page.buckets if _region(each.location) == region]
            marker, is_truncated = page.next_marker, page.is_truncated
    return found


def list_regions(*, credentials: Credentials, endpoint: str | None = None) -> list[str]:
    """List the cloud's regions by name.

    Raises:
        BackendError: OSS rejects the request or does not answer.
    """
    with oss_errors("listing regions"):
        asked = service(credentials=credentials, endpoint=endpoint, region=_ASKED)
        answer = retrying(lambda: asked.describe_regions(), TransferProgress())
    return sorted(_region(each.region) for each in answer.regions)


def region_of_bucket(name: str, *, credentials: Credentials, region: str, endpoint: str | None = None) -> str:
    """Return the region of the bucket, asking `endpoint`, else the endpoint of `region`.

    Raises:
        NotFoundError: the bucket does not exist, or not at this endpoint.
        BackendError: OSS rejects the request or does not answer.
    """
    with oss_errors(f"looking at the bucket {name!r}"):
        asked = bucket(name, credentials=credentials, endpoint=endpoint, region=region)
        return _region(retrying(lambda: asked.get_bucket_info(), TransferProgress()).location)


def _region(location: str) -> str:
    return location.removeprefix(_PREFIX)
