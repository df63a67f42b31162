"""Find the operation of a request by its method, its level (service, bucket, object) and the sub-resource in its query.

Rule 1: a request with an unsupported sub-resource is refused, never treated as the plain operation.
Rule 2: unsigned requests may only read public objects.
"""

from collections.abc import Callable

from pai_jupyter.emulator.oss import buckets, listings, multipart, objects
from pai_jupyter.emulator.oss.call import Answer, OssCall
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.emulator.oss_protocol.request import OssRequest
from pai_jupyter.emulator.oss_protocol.signatures import SUBRESOURCES

Operation = Callable[[OssCall], Answer]
_SERVICE, _BUCKET, _OBJECT = range(3)
_OPERATIONS: dict[tuple[int, str, str], Operation] = {
    (_SERVICE, "GET", ""): buckets.list_buckets,
    (_BUCKET, "GET", ""): listings.list_objects,
    (_BUCKET, "GET", "list-type"): listings.list_objects_v2,
    (_BUCKET, "GET", "uploads"): listings.list_uploads,
    (_BUCKET, "GET", "acl"): buckets.get_bucket_acl,
    (_BUCKET, "GET", "bucketInfo"): buckets.get_bucket_info,
    (_BUCKET, "GET", "location"): buckets.get_bucket_location,
    (_BUCKET, "GET", "stat"): buckets.get_bucket_stat,
    (_BUCKET, "PUT", ""): buckets.put_bucket,
    (_BUCKET, "PUT", "acl"): buckets.put_bucket_acl,
    (_BUCKET, "DELETE", ""): buckets.delete_bucket,
    (_BUCKET, "POST", "delete"): objects.delete_objects,
    (_OBJECT, "GET", ""): objects.get_object,
    (_OBJECT, "GET", "acl"): objects.get_object_acl,
    (_OBJECT, "GET", "tagging"): objects.get_object_tagging,
    (_OBJECT, "GET", "uploadId"): multipart.list_parts,
    (_OBJECT, "HEAD", ""): objects.head_object,
    (_OBJECT, "HEAD", "objectMeta"): objects.get_object_meta,
    (_OBJECT, "GET", "objectMeta"): objects.get_object_meta,
    (_OBJECT, "PUT", ""): objects.put_object,
    (_OBJECT, "PUT", "acl"): objects.put_object_acl,
    (_OBJECT, "PUT", "tagging"): objects.put_object_tagging,
    (_OBJECT, "PUT", "uploadId"): multipart.upload_part,
    (_OBJECT, "POST", "append"): objects.append_object,
    (_OBJECT, "POST", "uploads"): multipart.begin_upload,
    (_OBJECT, "POST", "uploadId"): multipart.complete_upload,
    (_OBJECT, "DELETE", ""): objects.delete_object,
    (_OBJECT, "DELETE", "tagging"): objects.delete_object_tagging,
    (_OBJECT, "DELETE", "uploadId"): multipart.abort_upload,
}
_MODIFIERS = frozenset(
    {"continuation-token", "partNumber", "position", "security-token", "sequential", "x-oss-traffic-limit"}
)
_OF_CONTENT = frozenset({objects.put_object, objects.append_object, multipart.upload_part})
_PUBLIC = frozenset({objects.get_object, objects.head_object, objects.get_object_meta})


def find(request: OssRequest) -> Operation:
    """Find the operation of a request.

    Raises:
        OssRefusal: NotImplemented, or MethodNotAllowed.
    """
    level = _OBJECT if request.key else _BUCKET if request.bucket else _SERVICE
    asked = sorted(name for name in request.query if _names_operation(name))
    if level == _BUCKET and request.method == "GET" and not asked and "list-type" in request.query:
        asked = ["list-type"]
    found = _OPERATIONS.get((level, request.method, asked[0] if asked else ""))
    if found is None or len(asked) > 1:
        raise OssRefusal(501, "NotImplemented") if asked else OssRefusal(405, "MethodNotAllowed", Method=request.method)
    return found


def _names_operation(name: str) -> bool:
    return name in SUBRESOURCES - _MODIFIERS and not name.startswith("response-")


def takes_content(operation: Operation) -> bool:
    """Return whether the body becomes an object or a part; it is then written to disk while it is received."""
    return operation in _OF_CONTENT


def check_public(call: OssCall, operation: Operation) -> None:
    """Check that an unsigned request reads a public object.

    Raises:
        OssRefusal: AccessDenied; also for a missing object, so as not to reveal which objects exist.
    """
    is_plain = operation in _PUBLIC and not any(name.startswith("response-") for name in call.request.query)
    found = call.store.find(call.bucket, call.key) if is_plain else None
    acl = (found.acl or call.store.bucket(call.bucket).acl) if found else "private"
    if acl == "private":
        raise OssRefusal(403, "AccessDenied")
