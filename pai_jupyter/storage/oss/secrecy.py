"""What the SDK writes to its log, without what signs a request.

At level DEBUG it logs headers and the text that it signs, with the security token and a signature good for minutes.
"""

import logging
import re

MASK = "***"
# As a header, in a dict's repr, or in a query; a value ends where a repr, a header line (also an escaped one) or a list does.
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
    """`text` without authorization headers, tokens and signatures."""
    return _NAMED.sub(rf"\1{MASK}", _AUTHORIZATION.sub(rf"\1{MASK}", text))


def quieten() -> None:
    """Redact the log of the SDK, and have it print nothing where nobody asked for it.

    A filter sees what its own logger is told, not what comes up from the loggers below: each of the SDK's gets one.
    """
    logging.getLogger("oss2").addHandler(logging.NullHandler())  # else errors of its threads go to stderr
    redaction = _Redaction()
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "oss2":
            logging.getLogger(name).addFilter(redaction)
