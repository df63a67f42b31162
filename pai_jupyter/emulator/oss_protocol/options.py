"""What an object may be given besides its bytes: a storage class, encryption, tags. Kept with its headers, and told again.

Nothing is encrypted, and no class costs less: clients are told what they have asked for, no more. What cannot even be told
in truth is refused: an archived object would have to be restored first, and a callback would have to be made.
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
_UNMADE = ("x-oss-callback", "x-oss-callback-var")
_MOST_TAGS, _LONGEST_KEY, _LONGEST_VALUE = 10, 128, 256


def given(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the options in a request's headers that OSS takes.

    Raises:
        Refusal: one that it does not, or that the emulator does not have.
    """
    for name in _UNMADE:
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
    """Return an object's headers as its readers see them: the number of its tags, not the tags."""
    shown = {STORAGE_CLASS: "Standard", **headers}
    if shown.pop(TAGGING, None):
        shown["x-oss-tagging-count"] = str(len(tags_of(headers)))
    return shown


def encryption(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the encryption headers for the answer to whoever stored the object."""
    return {name: headers[name] for name in (_ENCRYPTION, _KEY_ID, _DATA) if name in headers}


def storage_class(headers: Mapping[str, str]) -> str:
    return headers.get(STORAGE_CLASS, "Standard")


def of_copy(source: Mapping[str, str], asked: Mapping[str, str], *, is_new: bool, has_new_tags: bool) -> dict[str, str]:
    """Return a copy's headers: its own or the source's, tags likewise; never the source's class and encryption."""
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
        Refusal: they are too many, too long, or have a key twice.
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
