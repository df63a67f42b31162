"""Translate what WebHDFS answers, and exceptions of httpx. Only this package knows them.

Rule 1: the name of the exception that Hadoop gives decides. Data nodes put everything that a name node tells them into a
    `RemoteException`; then the message decides.
Rule 2: of a message with a Java stack only the first line is shown.
"""

import re
from contextlib import AbstractContextManager

import httpx

from pai_jupyter.errors import (
    AuthError,
    BackendError,
    LimitExceededError,
    NotFoundError,
    PaiJupyterError,
    ProtocolError,
    SpecError,
    UnavailableError,
    translating,
)

_LONGEST = 300  # characters of Hadoop's message
_BUSY = frozenset({"RetriableException", "RecoveryInProgressException", "AlreadyBeingCreatedException"})
_SENTENCES: dict[str, tuple[type[PaiJupyterError], str]] = {
    "FileNotFoundException": (NotFoundError, "there is no such file or directory in HDFS."),
    "AccessControlException": (AuthError, "HDFS does not allow it. Choose another place, or another hdfs_user."),
    "SecurityException": (AuthError, "HDFS does not know who asks. Type: %pai_config set hdfs_user=NAME"),
    "FileAlreadyExistsException": (BackendError, "something of this name is there already. Choose another name."),
    "ParentNotDirectoryException": (BackendError, "a part of the path is a file. Choose another name."),
    "PathIsNotEmptyDirectoryException": (BackendError, "the directory is not empty."),
    "InvalidPathException": (SpecError, "HDFS takes no such name. Choose another one."),
    "IllegalArgumentException": (SpecError, "HDFS refuses what it is asked."),
    "NSQuotaExceededException": (LimitExceededError, "the directory has as many files as it may have. Delete some."),
    "DSQuotaExceededException": (LimitExceededError, "the directory's space is used up. Delete something."),
    "StandbyException": (UnavailableError, "this name node is in reserve. Set hdfs_url to the active one."),
    "SafeModeException": (
        UnavailableError,
        "HDFS is in safe mode: until it leaves it, files can be read and not changed. Try again later.",
    ),
    "AlreadyBeingCreatedException": (UnavailableError, "somebody else writes this file. Try again in a minute."),
    "RecoveryInProgressException": (UnavailableError, "HDFS is closing this file. Try again in a minute."),
}
_OF_MESSAGE = {  # what tells an exception inside a `RemoteException`
    "SafeModeException": re.compile("is in safe mode"),
    "AccessControlException": re.compile("Permission denied"),
    "ParentNotDirectoryException": re.compile("is not a directory"),
    "InvalidPathException": re.compile("Invalid path name"),
    "RecoveryInProgressException": re.compile("lease recovery"),
    "AlreadyBeingCreatedException": re.compile("already being created|lease is currently owned|current leaseholder"),
    "NSQuotaExceededException": re.compile("NameSpace quota"),
    "DSQuotaExceededException": re.compile("DiskSpace quota"),
}


class HdfsFault(Exception):
    """An error that WebHDFS answered with; `name` is Hadoop's name of the exception, `said` the first line of its message."""

    def __init__(self, status: int, name: str, message: str) -> None:
        self.status = status
        self.said = _line(message.partition("\n")[0])
        told = next((known for known, words in _OF_MESSAGE.items() if words.search(self.said)), name)
        self.name = told if name in ("RemoteException", "IOException", "") else name
        super().__init__(f"{self.name}: {self.said}")

    @property
    def is_safe_mode(self) -> bool:
        return self.name == "SafeModeException"

    @property
    def is_missing(self) -> bool:
        return self.name == "FileNotFoundException"


class NotHdfsError(Exception):
    """An answer that is not WebHDFS's."""


class DamagedError(Exception):
    """The content that arrived is not as long as it must be."""


class NoAnswerError(Exception):
    """The name node or a data node cannot be reached, or its answer ends in the middle."""

    def __init__(self, node: str, cause: httpx.TransportError, *, is_data_node: bool) -> None:
        super().__init__(f"{node}: {cause}")
        self.node = node
        self.why = cause
        self.is_data_node = is_data_node


def hdfs_errors(action: str) -> AbstractContextManager[None]:
    """Translate the exceptions of the block; `action` names the work, e.g. "uploading x"."""
    return translating(translate, action)


def is_transient(exc: Exception) -> bool:
    """Return whether a retry may soon succeed."""
    if isinstance(exc, HdfsFault):
        return exc.name in _BUSY or exc.status >= 500
    return isinstance(exc, NoAnswerError | DamagedError)


def translate(exc: Exception, action: str) -> PaiJupyterError | None:
    """Return our error for `exc`; None if it is a bug."""
    match exc:
        case HdfsFault():
            return _from_answer(exc, action)
        case NoAnswerError():
            return UnavailableError(_no_answer(exc, action))
        case NotHdfsError():
            return ProtocolError(
                f"what answers is not WebHDFS ({action}): {exc}. Check hdfs_url, and the network. A cluster of OpenPAI v1.x has "
                "no HDFS, and its storages cannot be browsed here."
            )
        case DamagedError():
            return ProtocolError(
                f"the data arrived incomplete, each time that it was tried ({action}). Check the network."
            )
        case httpx.InvalidURL():
            return SpecError(f"WebHDFS gives an address that cannot be used ({action}): {_line(str(exc))}")
    return None


def _from_answer(fault: HdfsFault, action: str) -> PaiJupyterError:
    if fault.status == 401:
        return AuthError(f"this HDFS demands Kerberos, which pai_jupyter does not have ({action}).", code=fault.name)
    kind, sentence = _SENTENCES.get(fault.name, (BackendError, "HDFS refuses."))
    if fault.name not in _SENTENCES and fault.status >= 500:
        kind, sentence = UnavailableError, "HDFS fails. Try again later."
    text = f"{sentence} (HDFS, {action}; {fault})"
    return kind(text, code=fault.name) if issubclass(kind, BackendError) else kind(text)


def _no_answer(exc: NoAnswerError, action: str) -> str:
    slow = isinstance(exc.why, httpx.ReadTimeout | httpx.WriteTimeout)
    if slow or not isinstance(exc.why, httpx.ConnectError | httpx.ConnectTimeout):
        what = "answers too slowly" if slow else "breaks the connection"
        return f"{_role(exc)} {exc.node} {what} ({action}). Try again: it goes on from where it was."
    if exc.is_data_node:
        return (
            f"the data node {exc.node} cannot be reached from here ({action}). If it has another address here, type: "
            f"%pai_config set hdfs_datanodes={exc.node}=HOST:PORT"
        )
    return f"the name node {exc.node} cannot be reached ({action}). Check the address, hdfs_url, and the network."


def _role(exc: NoAnswerError) -> str:
    return "the data node" if exc.is_data_node else "the name node"


def _line(text: str) -> str:
    return re.sub(r"[^\x20-\x7e\u00a0-\ud7ff]+", " ", text)[:_LONGEST].strip()
