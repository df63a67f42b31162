"""Remove signatures and tokens from the SDK's log.

At level DEBUG the SDK logs headers and the signed text, with the security token and a signature valid for minutes.
"""

import logging
import re

MASK = "***"
# In a header, a dict's repr or a query; a value ends at the end of the repr, of the (escaped) header line or of the list.
_NAMED = re.compile(
    r"((?:x-oss-)?(?:security-token|signature)(?:['\"]?\s*[:=]\s*b?['\"]?|%3D)|SecurityToken>|SignatureProvided['\">:\s]+)"
    r"[^\s'\"<&,\\}]+",
    re.IGNORECASE,
)
_AUTHORIZATION = re.compile(r"(authorization['\"]?\s*[:=]\s*['\"]?)[^'\"\n}]+", re.IGNORECASE)


class _Redaction(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = redact(record.getMessage()), ()
        return True


def redact(text: str) -> str:
    """Remove authorization headers, tokens and signatures from `text`."""
    return _NAMED.sub(rf"\1{MASK}", _AUTHORIZATION.sub(rf"\1{MASK}", text))


def quieten() -> None:
    """Redact the log of the SDK, and keep it off stderr unless logging is configured.

    A logger's filter does not see records of child loggers, so each of the SDK's loggers gets one.
    """
    logging.getLogger("oss2").addHandler(logging.NullHandler())  # else errors of the SDK's threads go to stderr
    redaction = _Redaction()
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "oss2":
            logging.getLogger(name).addFilter(redaction)
