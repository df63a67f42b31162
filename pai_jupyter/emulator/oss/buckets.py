"""Operations on buckets."""

from xml.etree import ElementTree

from pai_jupyter.emulator.oss.call import Answer, OssCall, Owner, xml_answer
from pai_jupyter.emulator.oss_protocol.model import Bucket, acl_of
from pai_jupyter.emulator.oss_protocol.options import check_storage_class
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.emulator.oss_protocol.times import iso
from pai_jupyter.emulator.oss_protocol.xml import Element, element

MOST_BUCKETS = 1000


def owner_element(owner: Owner) -> Element:
    return element("Owner", element("ID", owner.account_id), element("DisplayName", owner.account_id))


def list_buckets(call: OssCall) -> Answer:
    query, most = call.request.query, call.number("max-keys", 100, most=MOST_BUCKETS)
    prefix, marker = query.get("prefix", ""), query.get("marker", "")
    left = [it for it in call.store.buckets() if it.name.startswith(prefix) and it.name > marker]
    shown = left[:most]
    is_truncated = len(shown) < len(left)
    return xml_answer(
        "ListAllMyBucketsResult",
        element("Prefix", prefix),
        element("Marker", marker),
        element("MaxKeys", most),
        element("IsTruncated", is_truncated),
        *([element("NextMarker", shown[-1].name)] if is_truncated and shown else []),
        owner_element(call.owner),
        element("Buckets", *(element("Bucket", *_told(bucket, call.owner)) for bucket in shown)),
    )


def put_bucket(call: OssCall) -> Answer:
    acl = call.request.headers.get("x-oss-acl")
    if call.text.strip():
        _check_configuration(call.xml())
    call.store.create_bucket(call.bucket, acl_of(acl) if acl else None)
    return Answer(headers={"location": f"/{call.bucket}"})


def _check_configuration(document: ElementTree.Element) -> None:
    """Refuse configurations that the emulator lacks: buckets have the class Standard and are in one zone."""
    kind = document.findtext("StorageClass", "Standard")
    if kind != "Standard":
        check_storage_class(kind)
        raise OssRefusal(501, "NotImplemented", StorageClass=kind)
    if (redundancy := document.findtext("DataRedundancyType", "LRS")) != "LRS":
        raise OssRefusal(501, "NotImplemented", DataRedundancyType=redundancy)


def put_bucket_acl(call: OssCall) -> Answer:
    call.store.bucket(call.bucket)
    call.store.create_bucket(call.bucket, acl_of(call.request.headers.get("x-oss-acl", "")))
    return Answer()


def delete_bucket(call: OssCall) -> Answer:
    call.store.remove_bucket(call.bucket)
    return Answer(status=204)


def get_bucket_info(call: OssCall) -> Answer:
    bucket = call.store.bucket(call.bucket)
    return xml_answer(
        "BucketInfo",
        element(
            "Bucket",
            *_told(bucket, call.owner),
            owner_element(call.owner),
            _acl(bucket),
            element("DataRedundancyType", "LRS"),
            element("Versioning", ""),
        ),
    )


def get_bucket_location(call: OssCall) -> Answer:
    call.store.bucket(call.bucket)
    return xml_answer("LocationConstraint", _location(call.owner))


def get_bucket_acl(call: OssCall) -> Answer:
    return xml_answer("AccessControlPolicy", owner_element(call.owner), _acl(call.store.bucket(call.bucket)))


def get_bucket_stat(call: OssCall) -> Answer:
    size, count, after = 0, 0, ""
    while True:
        page = call.store.page(call.bucket, after=after)
        size += sum(found.content.size for found in page.objects)
        count += len(page.objects)
        if page.next is None:
            break
        after = page.next
    told = {
        "Storage": size,
        "ObjectCount": count,
        "MultipartUploadCount": len(call.store.uploads.of(call.bucket)),
        "LiveChannelCount": 0,
        "LastModifiedTime": 0,
        "StandardStorage": size,
        "StandardObjectCount": count,
    }
    return xml_answer("BucketStat", *(element(name, number) for name, number in told.items()))


def _told(bucket: Bucket, owner: Owner) -> list[Element]:
    return [
        element("CreationDate", iso(bucket.created)),
        element("ExtranetEndpoint", owner.endpoint),
        element("IntranetEndpoint", owner.endpoint),
        element("Location", _location(owner)),
        element("Name", bucket.name),
        element("Region", owner.region),
        element("StorageClass", "Standard"),
    ]


def _location(owner: Owner) -> str:
    return f"oss-{owner.region}"


def _acl(bucket: Bucket) -> Element:
    return element("AccessControlList", element("Grant", bucket.acl))
