"""Operations that list objects and uploads of a bucket."""

import base64

from pai_jupyter.emulator.object_store.listing import ListingPage
from pai_jupyter.emulator.oss.buckets import owner_element
from pai_jupyter.emulator.oss.call import Answer, OssCall, xml_answer
from pai_jupyter.emulator.oss_protocol.model import Object
from pai_jupyter.emulator.oss_protocol.options import storage_class
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.emulator.oss_protocol.times import iso
from pai_jupyter.emulator.oss_protocol.xml import Element, element, encoder

MOST = 1000


def list_objects(call: OssCall) -> Answer:
    query = call.request.query
    marker = query.get("marker", "")
    page, most = _page(call, marker)
    encode = encoder(query.get("encoding-type"))
    return xml_answer(
        "ListBucketResult",
        *_told(call, page, most),
        element("Marker", encode(marker)),
        *([] if page.next is None else [element("NextMarker", encode(page.next))]),
        *_entries(call, page, with_owner=True),
    )


def list_objects_v2(call: OssCall) -> Answer:
    query = call.request.query
    token, start_after = query.get("continuation-token", ""), query.get("start-after", "")
    page, most = _page(call, _from_token(token) if token else start_after)
    encode = encoder(query.get("encoding-type"))
    return xml_answer(
        "ListBucketResult",
        *_told(call, page, most),
        element("KeyCount", len(page.objects) + len(page.prefixes)),
        *([element("StartAfter", encode(start_after))] if start_after else []),
        *([element("ContinuationToken", token)] if token else []),
        *([] if page.next is None else [element("NextContinuationToken", _to_token(page.next))]),
        *_entries(call, page, with_owner=query.get("fetch-owner") == "true"),
    )


def list_uploads(call: OssCall) -> Answer:
    query, most = call.request.query, call.number("max-uploads", MOST, most=MOST)
    if query.get("delimiter"):
        raise OssRefusal(501, "NotImplemented")
    prefix, encode = query.get("prefix", ""), encoder(query.get("encoding-type"))
    key, upload_id = query.get("key-marker", ""), query.get("upload-id-marker", "")
    left = [
        upload
        for upload in call.store.uploads.of(call.bucket)
        if upload.key.startswith(prefix) and _is_after((upload.key, upload.upload_id), key, upload_id)
    ]
    shown = left[:most]
    last = shown[-1] if shown else None
    return xml_answer(
        "ListMultipartUploadsResult",
        element("Bucket", call.bucket),
        *_encoding(call),
        element("KeyMarker", encode(key)),
        element("UploadIdMarker", upload_id),
        element("NextKeyMarker", encode(last.key) if last else ""),
        element("NextUploadIdMarker", last.upload_id if last else ""),
        element("Prefix", encode(prefix)),
        element("MaxUploads", most),
        element("IsTruncated", len(shown) < len(left)),
        *(
            element(
                "Upload",
                element("Key", encode(upload.key)),
                element("UploadId", upload.upload_id),
                element("StorageClass", storage_class(upload.headers)),
                element("Initiated", iso(upload.begun)),
            )
            for upload in shown
        ),
    )


def _is_after(upload: tuple[str, str], key: str, upload_id: str) -> bool:
    """Return whether an upload comes after the marker; a marker without upload id comes after all uploads of its key."""
    there, marker = (upload[0].encode(), upload[1]), key.encode(errors="surrogateescape")
    return not key or (there > (marker, upload_id) if upload_id else there[0] > marker)


def _page(call: OssCall, after: str) -> tuple[ListingPage, int]:
    query, most = call.request.query, call.number("max-keys", 100, most=MOST)
    if not most:
        return ListingPage(objects=[], prefixes=[], next=None), most
    try:
        page = call.store.page(
            call.bucket,
            prefix=query.get("prefix", ""),
            delimiter=query.get("delimiter", ""),
            after=after,
            limit=most,
        )
    except UnicodeEncodeError as exc:
        raise OssRefusal(400, "InvalidArgument") from exc
    return page, most


def _told(call: OssCall, page: ListingPage, most: int) -> list[Element]:
    query = call.request.query
    encode = encoder(query.get("encoding-type"))
    return [
        element("Name", call.bucket),
        element("Prefix", encode(query.get("prefix", ""))),
        element("MaxKeys", most),
        element("Delimiter", encode(query.get("delimiter", ""))),
        *_encoding(call),
        element("IsTruncated", page.next is not None),
    ]


def _encoding(call: OssCall) -> list[Element]:
    return [element("EncodingType", "url")] if call.request.query.get("encoding-type") == "url" else []


def _entries(call: OssCall, page: ListingPage, *, with_owner: bool) -> list[Element]:
    encode = encoder(call.request.query.get("encoding-type"))
    owner = [owner_element(call.owner)] if with_owner else []
    return [
        *(element("Contents", *_entry(found, encode(found.key)), *owner) for found in page.objects),
        *(element("CommonPrefixes", element("Prefix", encode(prefix))) for prefix in page.prefixes),
    ]


def _entry(found: Object, key: str) -> list[Element]:
    return [
        element("Key", key),
        element("LastModified", iso(found.modified)),
        element("ETag", f'"{found.content.etag}"'),
        element("Type", found.kind),
        element("Size", found.content.size),
        element("StorageClass", storage_class(found.headers)),
    ]


def _to_token(key: str) -> str:
    return base64.urlsafe_b64encode(key.encode()).decode()


def _from_token(token: str) -> str:
    try:
        return base64.b64decode(token, altchars="-_", validate=True).decode()
    except ValueError as exc:
        raise OssRefusal(400, "InvalidArgument", ArgumentName="continuation-token", ArgumentValue=token) from exc
