"""Error answers of OSS: codes, messages and XML. No I/O.

The answer to HEAD has no body, so its XML is in the header `x-oss-err`; a 304 has neither.
"""

import base64
from typing import Final

from pai_jupyter.emulator.oss_protocol.xml import document, element
from pai_jupyter.emulator.protocol.refusal import ApiRefusal as ServiceRefusal

ERROR_HEADER: Final = "x-oss-err"
_HOST: Final = "oss.emulator"
_MESSAGES: Final = {
    "AccessDenied": "You have no right to access this object.",
    "BucketNotEmpty": "The bucket you tried to delete is not empty.",
    "EntityTooSmall": "Your proposed upload is smaller than the minimum allowed size.",
    "FileAlreadyExists": "The object you specified already exists and can not be overwritten.",
    "InvalidAccessKeyId": "The OSS Access Key Id you provided does not exist in our records.",
    "InvalidArgument": "An argument is missing or not valid.",
    "InvalidBucketName": "The specified bucket is not valid.",
    "InvalidDigest": "The Content-MD5 you specified did not match what we received.",
    "InvalidEncryptionAlgorithmError": "The encryption algorithm you specified is not one of AES256, KMS and SM4.",
    "InvalidObjectName": "The specified object is not valid.",
    "InvalidPart": "One or more of the specified parts could not be found, or its etag did not match.",
    "InvalidPartOrder": "The list of parts was not in ascending order.",
    "InvalidRange": "The requested range cannot be satisfied.",
    "InvalidTag": "There are more than 10 tags, a tag is too long, or a key is repeated.",
    "InvalidSecurityToken": "The security token you provided is invalid.",
    "MalformedXML": "The XML you provided was not well-formed.",
    "MethodNotAllowed": "The specified method is not allowed against this resource.",
    "NoSuchBucket": "The specified bucket does not exist.",
    "NoSuchKey": "The specified key does not exist.",
    "NoSuchUpload": "The specified upload does not exist. The upload ID may be invalid, or the upload may have been ended.",
    "NotImplemented": "The OSS emulator does not have this operation, or this option.",
    "ObjectNotAppendable": "The object is not appendable.",
    "PositionNotEqualToLength": "Position is not equal to file length.",
    "PreconditionFailed": "At least one of the pre-conditions you specified did not hold.",
    "RequestTimeTooSkewed": "The difference between the request time and the current time is too large.",
    "SecurityTokenExpired": "The security token you provided has expired.",
    "ServiceUnavailable": "Please reduce your request rate.",
    "SignatureDoesNotMatch": "The request signature we calculated does not match the signature you provided.",
}


class OssRefusal(ServiceRefusal):
    """An error answer of OSS; `more` has further elements of its XML, `headers` further headers."""

    def __init__(self, status: int, code: str = "", /, *, message: str | None = None, **more: str) -> None:
        super().__init__(status, code, _MESSAGES.get(code, code) if message is None else message)
        self.more = more
        self.headers: dict[str, str] = {}

    def with_headers(self, **headers: str) -> "OssRefusal":
        """Add headers; `_` in a name stands for `-`."""
        self.headers |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self


def not_modified() -> OssRefusal:
    """Create the answer 304 (not modified), which has no body."""
    return OssRefusal(304)


def error_xml(refusal: OssRefusal, *, request_id: str) -> bytes:
    """Build the body of the answer."""
    told = {"Code": refusal.code, "Message": refusal.message, "RequestId": request_id, "HostId": _HOST, **refusal.more}
    return document("Error", *(element(name, text) for name, text in told.items()))


def error_header(xml: bytes) -> str:
    """Encode the body as a header, for an answer without a body."""
    return base64.b64encode(xml).decode()
