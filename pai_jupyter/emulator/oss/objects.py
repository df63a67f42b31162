"""Operations on objects."""

import base64
from urllib.parse import unquote

from pai_jupyter.emulator.object_store.content import ContentReader
from pai_jupyter.emulator.oss import conditions
from pai_jupyter.emulator.oss.buckets import owner_element
from pai_jupyter.emulator.oss.call import Answer, OssCall, Stream, xml_answer
from pai_jupyter.emulator.oss_protocol import options, times
from pai_jupyter.emulator.oss_protocol.model import Object
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.emulator.oss_protocol.xml import element, encoder

MOST_DELETED = 1000  # keys in one request
_OVERRIDES = (
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-type",
    "expires",
)


def put_object(call: OssCall) -> Answer:
    if "x-oss-copy-source" in call.request.headers:
        return _copy_object(call)
    stored = call.store.put(
        call.bucket,
        call.key,
        call.body(),
        headers=call.headers_to_keep(),
        acl=call.object_acl(),
        replaces=not call.request.is_conditional_put,
    )
    md5 = base64.b64encode(call.draft.md5).decode()
    return Answer(headers={**sums(stored), **options.encryption(stored.headers), "content-md5": md5})


def append_object(call: OssCall) -> Answer:
    position = call.number("position", 0, most=1 << 62)
    stored = call.store.append(
        call.bucket, call.key, position, call.body(), headers=call.headers_to_keep(), acl=call.object_acl()
    )
    told = {**sums(stored), **options.encryption(stored.headers)}
    return Answer(headers={**told, "x-oss-next-append-position": str(stored.content.size)})


def _copy_object(call: OssCall) -> Answer:
    bucket, key = copy_source(call)
    source, reading = call.store.open(bucket, key)
    with reading:
        conditions.check(source, call.request.headers, of="x-oss-copy-source-if-")
        headers = options.of_copy(
            source.headers,
            call.headers_to_keep(),
            is_new=call.request.headers.get("x-oss-metadata-directive", "COPY").upper() == "REPLACE",
            has_new_tags=call.request.headers.get("x-oss-tagging-directive", "COPY").upper() == "REPLACE",
        )
        stored = call.store.copy(
            source,
            call.bucket,
            call.key,
            headers=headers,
            acl=call.object_acl(),
            replaces=not call.request.is_conditional_put,
        )
    told = (element("ETag", f'"{stored.content.etag}"'), element("LastModified", times.iso(stored.modified)))
    return xml_answer("CopyObjectResult", *told, headers={**sums(stored), **options.encryption(stored.headers)})


def copy_source(call: OssCall) -> tuple[str, str]:
    """Return bucket and key of the source of a copy."""
    source = unquote(call.request.headers["x-oss-copy-source"].partition("?")[0], errors="surrogateescape")
    bucket, _, key = source.removeprefix("/").partition("/")
    return bucket, key


def get_object(call: OssCall) -> Answer:
    found, reading = call.store.open(call.bucket, call.key)
    try:
        conditions.check(found, call.request.headers)
        wanted = conditions.span(call.request.headers, found.content.size)
    except OssRefusal:
        reading.close()
        raise
    return _body(call, found, reading, wanted)


def _body(call: OssCall, found: Object, reading: ContentReader, wanted: tuple[int, int] | None) -> Answer:
    headers = {**_headers(found), **(_md5(found) if wanted is None else {})}
    for name in _OVERRIDES:
        if override := call.request.query.get(f"response-{name}"):
            headers[name] = _header(override)
    start, end = wanted or (0, found.content.size)
    if wanted is not None:
        headers["content-range"] = f"bytes {start}-{end - 1}/{found.content.size}"
    stream = Stream(reading=reading, start=start, end=end)
    return Answer(status=200 if wanted is None else 206, headers=headers, body=stream)


def head_object(call: OssCall) -> Answer:
    found = call.store.get(call.bucket, call.key)
    conditions.check(found, call.request.headers)
    return Answer(headers={**_headers(found), **_md5(found), "content-length": str(found.content.size)})


def get_object_meta(call: OssCall) -> Answer:
    found = call.store.get(call.bucket, call.key)
    told = {"last-modified": times.http(found.modified), "content-length": str(found.content.size)}
    return Answer(headers={**sums(found), **told})


def delete_object(call: OssCall) -> Answer:
    call.store.delete(call.bucket, call.key)
    return Answer(status=204)


def delete_objects(call: OssCall) -> Answer:
    if "content-md5" not in call.request.headers:
        raise OssRefusal(400, "InvalidArgument", message="Content-MD5 is missing.", ArgumentName="Content-MD5")
    document = call.xml()
    keys = [node.text or "" for node in document.iterfind("Object/Key")]
    if document.tag != "Delete" or not 0 < len(keys) <= MOST_DELETED:
        raise OssRefusal(400, "MalformedXML")
    for key in keys:
        call.store.delete(call.bucket, key)
    if document.findtext("Quiet", "false").lower() == "true":
        return Answer()
    encoding = call.request.query.get("encoding-type")
    encode = encoder(encoding)
    return xml_answer(
        "DeleteResult",
        *([element("EncodingType", encoding)] if encoding else []),
        *(element("Deleted", element("Key", encode(key))) for key in keys),
    )


def get_object_acl(call: OssCall) -> Answer:
    acl = call.store.get(call.bucket, call.key).acl or "default"
    grant = element("AccessControlList", element("Grant", acl))
    return xml_answer("AccessControlPolicy", owner_element(call.owner), grant)


def put_object_acl(call: OssCall) -> Answer:
    call.store.set_object_acl(call.bucket, call.key, call.object_acl())
    return Answer()


def get_object_tagging(call: OssCall) -> Answer:
    tags = options.tags_of(call.store.get(call.bucket, call.key).headers)
    shown = (element("Tag", element("Key", key), element("Value", value)) for key, value in tags)
    return xml_answer("Tagging", element("TagSet", *shown))


def put_object_tagging(call: OssCall) -> Answer:
    document = call.xml()
    if document.tag != "Tagging":
        raise OssRefusal(400, "MalformedXML")
    tags = [(node.findtext("Key", ""), node.findtext("Value", "")) for node in document.iterfind("TagSet/Tag")]
    call.store.set_headers(call.bucket, call.key, lambda headers: options.with_tags(headers, tags))
    return Answer()


def delete_object_tagging(call: OssCall) -> Answer:
    call.store.set_headers(call.bucket, call.key, lambda headers: options.with_tags(headers, ()))
    return Answer(status=204)


def sums(stored: Object) -> dict[str, str]:
    """Return the headers with ETag and CRC-64, by which a client verifies its upload."""
    return {"etag": f'"{stored.content.etag}"', "x-oss-hash-crc64ecma": str(stored.content.crc)}


def _headers(found: Object) -> dict[str, str]:
    told = {
        **sums(found),
        "last-modified": times.http(found.modified),
        "accept-ranges": "bytes",
        "x-oss-object-type": found.kind,
        **options.told(found.headers),
    }
    if found.kind == "Appendable":
        told["x-oss-next-append-position"] = str(found.content.size)
    return told


def _md5(found: Object) -> dict[str, str]:
    """Return Content-MD5 if the ETag is an MD5."""
    if found.kind != "Normal" or "-" in found.content.etag:
        return {}
    return {"content-md5": base64.b64encode(bytes.fromhex(found.content.etag)).decode()}


def _header(text: str) -> str:
    if not text.isprintable():
        raise OssRefusal(400, "InvalidArgument", ArgumentValue=text)
    return text
