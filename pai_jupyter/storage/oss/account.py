"""What an account has: its buckets and where they are, the regions that there are. For who sets a session up, or checks it."""

from pai_jupyter.storage.oss.connection import bucket, service
from pai_jupyter.storage.oss.faults import oss_errors
from pai_jupyter.storage.oss.retry import retrying
from pai_jupyter.storage.progress import TransferProgress
from pai_jupyter.storage.protocol import Credentials

_PREFIX = "oss-"  # of regions, as OSS calls them
_ASKED = "cn-hangzhou"  # who asks for the regions knows none yet; any of them answers


def list_buckets(*, credentials: Credentials, region: str, endpoint: str | None = None) -> list[str]:
    """List the names of the account's buckets in `region`.

    Raises:
        BackendError: OSS refuses, or does not answer.
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
        BackendError: OSS refuses, or does not answer.
    """
    with oss_errors("listing regions"):
        asked = service(credentials=credentials, endpoint=endpoint, region=_ASKED)
        told = retrying(lambda: asked.describe_regions(), TransferProgress())
    return sorted(_region(each.region) for each in told.regions)


def region_of_bucket(name: str, *, credentials: Credentials, region: str, endpoint: str | None = None) -> str:
    """Return the region of the bucket, asking `endpoint`, else the endpoint of `region`.

    Raises:
        NotFoundError: there is none, or it is not at this endpoint.
        BackendError: OSS refuses, or does not answer.
    """
    with oss_errors(f"looking at the bucket {name!r}"):
        asked = bucket(name, credentials=credentials, endpoint=endpoint, region=region)
        return _region(retrying(lambda: asked.get_bucket_info(), TransferProgress()).location)


def _region(location: str) -> str:
    return location.removeprefix(_PREFIX)
