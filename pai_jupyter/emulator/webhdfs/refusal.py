"""Errors of WebHDFS: `{"RemoteException": {exception, javaClassName, message}}`."""

from starlette.responses import JSONResponse

_JAVA = {
    "AccessControlException": "org.apache.hadoop.security",
    "FileAlreadyExistsException": "org.apache.hadoop.fs",
    "PathIsNotEmptyDirectoryException": "org.apache.hadoop.fs",
    "InvalidPathException": "org.apache.hadoop.fs",
    "SafeModeException": "org.apache.hadoop.hdfs.server.namenode",
    "RemoteException": "org.apache.hadoop.ipc",
    "FileNotFoundException": "java.io",
    "IOException": "java.io",
    "IllegalArgumentException": "java.lang",
}
_STATUS = {"FileNotFoundException": 404, "IllegalArgumentException": 400, "InvalidPathException": 400}
# A data node finds out by asking the name node, and gives only the classes that its client knows by name.
_KNOWN_THERE = frozenset(
    {"FileNotFoundException", "FileAlreadyExistsException", "AccessControlException", "IllegalArgumentException"}
)
_STACK = (
    "\n\tat org.apache.hadoop.hdfs.server.namenode.FSNamesystem.startFileInternal(FSNamesystem.java:2563)"
    "\n\tat org.apache.hadoop.ipc.Server$Handler$1.run(Server.java:2049)\n"
)


class HdfsRefusal(Exception):
    """An error of an operation: Hadoop's name of it and its message."""

    def __init__(self, exception: str, message: str) -> None:
        super().__init__(f"{exception}: {message}")
        self.exception = exception
        self.message = message

    def answer(self, *, of_data_node: bool = False) -> JSONResponse:
        name, message = self.exception, self.message
        if of_data_node:
            name, message = name if name in _KNOWN_THERE else "RemoteException", message + _STACK
        told = {"exception": name, "javaClassName": f"{_JAVA[name]}.{name}", "message": message}
        headers = {"connection": "close"} if of_data_node else {}
        return JSONResponse({"RemoteException": told}, status_code=_STATUS.get(name, 403), headers=headers)


def missing(path: str) -> HdfsRefusal:
    return HdfsRefusal("FileNotFoundException", f"File does not exist: /{path}")
