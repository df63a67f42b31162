"""Operations on uploads in parts."""

from xml.etree import ElementTree

from pai_jupyter.emulator.object_store.uploads import MOST_PARTS
from pai_jupyter.emulator.oss import conditions
from pai_jupyter.emulator.oss.call import Answer, OssCall, xml_answer
from pai_jupyter.emulator.oss.objects import copy_source, sums
from pai_jupyter.emulator.oss_protocol import options
from pai_jupyter.emulator.oss_protocol.model import UploadedPart
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.emulator.oss_protocol.times import iso
from pai_jupyter.emulator.oss_protocol.xml import element, encoder

_MOST_LISTED = 1000


def begin_upload(call: OssCall) -> Answer:
    upload = call.store.uploads.begin(
        call.bucket,
        call.key,
        headers=call.headers_to_keep(),
        acl=call.object_acl(),
        replaces=not call.request.is_conditional_put,
    )
    encoding = call.request.query.get("encoding-type")
    return xml_answer(
        "InitiateMultipartUploadResult",
        *([element("EncodingType", encoding)] if encoding else []),
        element("Bucket", call.bucket),
        element("Key", encoder(encoding)(call.key)),
        element("UploadId", upload.upload_id),
        headers=options.encryption(upload.headers),
    )


def upload_part(call: OssCall) -> Answer:
    if "x-oss-copy-source" in call.request.headers:
        return _upload_part_copy(call)
    part = call.store.uploads.put_part(call.bucket, call.key, _upload_id(call), _number(call), call.body())
    return Answer(headers=_sums(part))


def _upload_part_copy(call: OssCall) -> Answer:
    call.store.uploads.get(call.bucket, call.key, _upload_id(call))
    bucket, key = copy_source(call)
    source, reading = call.store.open(bucket, key)
    with reading:
        conditions.check(source, call.request.headers, of="x-oss-copy-source-if-")
        wanted = {"range": call.request.headers.get("x-oss-copy-source-range", "")}
        start, end = conditions.span(wanted, source.content.size) or (0, source.content.size)
        for block in reading.blocks(start, end):
            call.draft.write(block)
    part = call.store.uploads.put_part(call.bucket, call.key, _upload_id(call), _number(call), call.draft)
    told = (element("ETag", f'"{part.content.etag}"'), element("LastModified", iso(part.modified)))
    return xml_answer("CopyPartResult", *told, headers=_sums(part))


def list_parts(call: OssCall) -> Answer:
    marker = call.number("part-number-marker", 0, most=MOST_PARTS)
    most = call.number("max-parts", _MOST_LISTED, most=_MOST_LISTED)
    parts = call.store.uploads.parts(call.bucket, call.key, _upload_id(call))
    upload = call.store.uploads.get(call.bucket, call.key, _upload_id(call))
    left = [part for part in parts if part.number > marker]
    shown = left[:most]
    encoding = call.request.query.get("encoding-type")
    return xml_answer(
        "ListPartsResult",
        *([element("EncodingType", encoding)] if encoding else []),
        element("Bucket", call.bucket),
        element("Key", encoder(encoding)(call.key)),
        element("UploadId", _upload_id(call)),
        element("StorageClass", options.storage_class(upload.headers)),
        element("PartNumberMarker", marker),
        element("NextPartNumberMarker", shown[-1].number if shown else marker),
        element("MaxParts", most),
        element("IsTruncated", len(shown) < len(left)),
        *(
            element(
                "Part",
                element("PartNumber", part.number),
                element("LastModified", iso(part.modified)),
                element("ETag", f'"{part.content.etag}"'),
                element("HashCrc64ecma", part.content.crc),
                element("Size", part.content.size),
            )
            for part in shown
        ),
    )


def complete_upload(call: OssCall) -> Answer:
    is_all = call.request.headers.get("x-oss-complete-all") == "yes"
    stored = call.store.uploads.complete(
        call.bucket,
        call.key,
        _upload_id(call),
        None if is_all else _named(call),
        replaces=not call.request.is_conditional_put,
    )
    encoding = call.request.query.get("encoding-type")
    encode = encoder(encoding)
    return xml_answer(
        "CompleteMultipartUploadResult",
        *([element("EncodingType", encoding)] if encoding else []),
        element("Location", f"http://{call.bucket}.{call.owner.endpoint}/{encode(call.key)}"),
        element("Bucket", call.bucket),
        element("Key", encode(call.key)),
        element("ETag", f'"{stored.content.etag}"'),
        headers={**sums(stored), **options.encryption(stored.headers)},
    )


def _named(call: OssCall) -> list[tuple[int, str]]:
    document = call.xml()
    if document.tag != "CompleteMultipartUpload":
        raise OssRefusal(400, "MalformedXML")
    return [_part(node) for node in document.iterfind("Part")]


def _part(node: ElementTree.Element) -> tuple[int, str]:
    try:
        return int(node.findtext("PartNumber", "")), node.findtext("ETag", "").strip('"')
    except ValueError as exc:
        raise OssRefusal(400, "MalformedXML") from exc


def abort_upload(call: OssCall) -> Answer:
    call.store.uploads.abort(call.bucket, call.key, _upload_id(call))
    return Answer(status=204)


def _upload_id(call: OssCall) -> str:
    return call.request.query["uploadId"]


def _number(call: OssCall) -> int:
    return call.number("partNumber", 0, most=MOST_PARTS)


def _sums(part: UploadedPart) -> dict[str, str]:
    return {"etag": f'"{part.content.etag}"', "x-oss-hash-crc64ecma": str(part.content.crc)}
