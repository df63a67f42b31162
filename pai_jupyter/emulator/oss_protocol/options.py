"""Options of an object: storage class, encryption, tags. They are stored with its headers and returned.

They have no effect: nothing is encrypted, no class is cheaper. Options that would need an effect are refused: archive classes
(restore before reading) and callbacks.
"""

from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import parse_qsl, urlencode

from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal

STORAGE_CLASS: Final = "x-oss-storage-class"
TAGGING: Final = "x-oss-tagging"
_ENCRYPTION: Final = "x-oss-server-side-encryption"
_KEY_ID: Final = f"{_ENCRYPTION}-key-id"
_DATA: Final = "x-oss-server-side-data-encryption"
_CLASSES = ("Standard", "IA")
_ARCHIVES = ("Archive", "ColdArchive", "DeepColdArchive")
_ALGORITHMS = {_ENCRYPTION: ("AES256", "KMS", "SM4"), _DATA: ("SM4",)}
_UNSUPPORTED = ("x-oss-callback", "x-oss-callback-var")
_MOST_TAGS, _LONGEST_KEY, _LONGEST_VALUE = 10, 128, 256


def given(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the options in a request's headers that OSS takes.

    Raises:
        OssRefusal: an option is invalid, or the emulator does not support it.
    """
    for name in _UNSUPPORTED:
        if name in headers:
            raise OssRefusal(501, "NotImplemented", Header=name)
    check_storage_class(headers.get(STORAGE_CLASS, "Standard"))
    for name, known in _ALGORITHMS.items():
        if name in headers and headers[name] not in known:
            raise OssRefusal(400, "InvalidEncryptionAlgorithmError", ArgumentName=name, ArgumentValue=headers[name])
    if (_KEY_ID in headers or _DATA in headers) and headers.get(_ENCRYPTION) != "KMS":
        raise OssRefusal(400, "InvalidArgument", ArgumentName=_ENCRYPTION, ArgumentValue=headers.get(_ENCRYPTION, ""))
    kept = {name: headers[name] for name in (STORAGE_CLASS, _ENCRYPTION, _KEY_ID, _DATA) if name in headers}
    if TAGGING in headers:
        kept |= with_tags({}, parse_qsl(headers[TAGGING], keep_blank_values=True))
    return kept


def check_storage_class(name: str) -> None:
    if name in _ARCHIVES:
        raise OssRefusal(501, "NotImplemented", StorageClass=name)
    if name not in _CLASSES:
        raise OssRefusal(400, "InvalidArgument", ArgumentName=STORAGE_CLASS, ArgumentValue=name)


def told(headers: Mapping[str, str]) -> dict[str, str]:
    """Return an object's headers for an answer: with the number of its tags instead of the tags."""
    shown = {STORAGE_CLASS: "Standard", **headers}
    if shown.pop(TAGGING, None):
        shown["x-oss-tagging-count"] = str(len(tags_of(headers)))
    return shown


def encryption(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the encryption headers for the answer to an upload."""
    return {name: headers[name] for name in (_ENCRYPTION, _KEY_ID, _DATA) if name in headers}


def storage_class(headers: Mapping[str, str]) -> str:
    return headers.get(STORAGE_CLASS, "Standard")


def of_copy(source: Mapping[str, str], asked: Mapping[str, str], *, is_new: bool, has_new_tags: bool) -> dict[str, str]:
    """Return a copy's headers and tags, new ones or the source's; class and encryption are never the source's."""
    options = (STORAGE_CLASS, _ENCRYPTION, _KEY_ID, _DATA)
    plain = {name: text for name, text in (asked if is_new else source).items() if name not in (*options, TAGGING)}
    tagged = asked if has_new_tags else source
    own = {name: asked[name] for name in options if name in asked}
    return {**plain, **own, **({TAGGING: tagged[TAGGING]} if TAGGING in tagged else {})}


def tags_of(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    return parse_qsl(headers.get(TAGGING, ""), keep_blank_values=True)


def with_tags(headers: Mapping[str, str], tags: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Replace the tags in the headers.

    Raises:
        OssRefusal: there are too many tags, one is too long, or a key is repeated.
    """
    tags = list(tags)
    plain = {name: text for name, text in headers.items() if name != TAGGING}
    is_good = (
        len(tags) <= _MOST_TAGS
        and len({key for key, _ in tags}) == len(tags)
        and all(0 < len(key) <= _LONGEST_KEY and len(value) <= _LONGEST_VALUE for key, value in tags)
    )
    if not is_good:
        raise OssRefusal(400, "InvalidTag")
    return {**plain, TAGGING: urlencode(tags)} if tags else plain
