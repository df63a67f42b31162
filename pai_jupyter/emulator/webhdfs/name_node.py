"""The name node: what needs no content is answered here; for content it gives the address of the data node.

It answers below `/webhdfs/v1` and, as behind OpenPAI's proxy, below `/webhdfs/api/v1`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from pai_jupyter.emulator.webhdfs.namespace import Inode, Namespace, told
from pai_jupyter.emulator.webhdfs.refusal import HdfsRefusal, missing

NOBODY = "dr.who"
_PREFIX = re.compile(r"/webhdfs/(?:api/)?v1(?=/|$)")
_USER = re.compile(r"[A-Za-z_][A-Za-z0-9._-]*[$]?")
_LITERAL = "/~+;=&!$',()*@:"  # what Hadoop leaves in the path of a `Location`
_OPERATIONS = {
    "GET": "OPEN LISTSTATUS GETFILESTATUS GETCONTENTSUMMARY GETHOMEDIRECTORY",
    "PUT": "CREATE MKDIRS RENAME SETPERMISSION SETOWNER",
    "POST": "APPEND",
    "DELETE": "DELETE",
}
_OF_CONTENT = frozenset({"OPEN", "CREATE", "APPEND"})
_CHANGING = frozenset({"MKDIRS", "RENAME", "SETPERMISSION", "SETOWNER", "DELETE"})


@dataclass(frozen=True, kw_only=True)
class HdfsCall:
    """What a request asks for."""

    operation: str
    path: str
    user: str
    parameters: Mapping[str, str]

    @classmethod
    def read(cls, request: Request) -> "HdfsCall | None":
        """Read a request; None if it is not one of WebHDFS.

        Raises:
            HdfsRefusal: a parameter is invalid.
        """
        raw = bytes(request.scope["raw_path"]).decode("latin-1")
        prefix = _PREFIX.match(raw)
        if prefix is None:
            return None
        parameters = dict(parse_qsl(request.url.query, keep_blank_values=True))
        user, operation = parameters.get("user.name", NOBODY), parameters.get("op", "").upper()
        if not _USER.fullmatch(user):
            raise _invalid("user.name", f'Invalid value: "{user}" does not belong to the domain ^{_USER.pattern}$')
        if operation not in _OPERATIONS.get(request.method, "").split():
            kind = f"org.apache.hadoop.hdfs.web.resources.{request.method.title()}OpParam.Op"
            raise _invalid("op", f"No enum constant {kind}.{operation}")
        return cls(operation=operation, path=unquote(raw[prefix.end() :]).strip("/"), user=user, parameters=parameters)


class NameNode:
    """Answers the requests of the first step. `data_node` is the address that it gives for content."""

    def __init__(self, names: Namespace, *, address: str, data_node: str) -> None:
        self._names = names
        self._address = address
        self._data_node = data_node
        self.is_safe = False  # in safe mode

    def answer(self, request: Request, *, data_node: str = "") -> Response:
        """Answer a request; blocking. `data_node` is given instead of the real one."""
        try:
            call = HdfsCall.read(request)
            if call is None:
                return HTMLResponse("<html><h2>HTTP ERROR 404</h2></html>", status_code=404)
            response = self._answer(call, data_node or self._data_node)
        except HdfsRefusal as refusal:
            response = refusal.answer()
        else:
            response.set_cookie("hadoop.auth", f"u={call.user}&p={call.user}&t=simple&e=0&s=emulator", httponly=True)
        return response

    def _answer(self, call: HdfsCall, data_node: str) -> Response:
        if self.is_safe and call.operation in _CHANGING:
            raise safe_mode(f"Cannot {call.operation.lower()} /{call.path}.")
        if call.operation in _OF_CONTENT:
            return self._redirect(call, data_node)
        answer = _ANSWERS[call.operation](self._names, call)
        return Response(media_type="application/octet-stream") if answer is None else JSONResponse(answer)

    def _redirect(self, call: HdfsCall, data_node: str) -> Response:
        extra = {"namenoderpcaddress": self._address}
        match call.operation:
            case "CREATE":
                extra["overwrite"] = call.parameters.get("overwrite", "false")
            case "APPEND":
                self._require(call.path)
            case _:
                self._check_span(call)
                extra["offset"] = call.parameters.get("offset", "0")
        query = urlencode({"op": call.operation, **call.parameters, **extra}, quote_via=quote)
        location = f"http://{data_node}/webhdfs/v1/{quote(call.path, safe=_LITERAL)}?{query}"
        return Response(status_code=307, headers={"location": location, "content-type": "application/octet-stream"})

    def _require(self, path: str) -> Inode:
        found = self._names.find(path)
        if found is None:
            raise HdfsRefusal("FileNotFoundException", f"File /{path} not found.")
        return found

    def _check_span(self, call: HdfsCall) -> None:
        found, offset = self._require(call.path), int(call.parameters.get("offset", "0"))
        if found.is_file and offset and offset >= found.length:
            raise HdfsRefusal(
                "IOException", f"Offset={offset} out of the range [0, {found.length}); OPEN, path=/{call.path}"
            )


def safe_mode(what: str) -> HdfsRefusal:
    return HdfsRefusal(
        "SafeModeException",
        f'{what} Name node is in safe mode.\nIt was turned on manually. Use "hdfs dfsadmin -safemode leave" to turn safe mode off.',
    )


def check_name(path: str) -> None:
    """Refuse a path that HDFS cannot store."""
    if any(part in (".", "..") or ":" in part for part in path.split("/")):
        raise HdfsRefusal("InvalidPathException", f"Invalid path name /{path}")


def _invalid(parameter: str, why: str) -> HdfsRefusal:
    return HdfsRefusal("IllegalArgumentException", f'Invalid value for webhdfs parameter "{parameter}": {why}')


def _status(names: Namespace, call: HdfsCall) -> dict[str, object]:
    found = names.get(call.path)
    return {"FileStatus": told(found, children=len(names.children(call.path)))}


def _list(names: Namespace, call: HdfsCall) -> dict[str, object]:
    found = names.find(call.path)
    if found is None:
        raise HdfsRefusal("FileNotFoundException", f"File /{call.path} does not exist.")
    listed = [told(found)] if found.is_file else [told(each, each.name) for each in names.children(call.path)]
    return {"FileStatuses": {"FileStatus": listed}}


def _summary(names: Namespace, call: HdfsCall) -> dict[str, object]:
    found = names.find(call.path)
    if found is None:
        raise missing(call.path)
    every = [found, *names.below(call.path)]
    length = sum(each.length for each in every)
    files = sum(each.is_file for each in every)
    return {
        "ContentSummary": {
            "directoryCount": len(every) - files,
            "fileCount": files,
            "length": length,
            "quota": -1,
            "spaceConsumed": length,
            "spaceQuota": -1,
        }
    }


def _make(names: Namespace, call: HdfsCall) -> dict[str, object]:
    check_name(call.path)
    names.make_directories(call.path, call.user, call.parameters.get("permission", "755"))
    return {"boolean": True}


def _rename(names: Namespace, call: HdfsCall) -> dict[str, object] | None:
    to, option = call.parameters.get("destination", ""), call.parameters.get("renameoptions", "").upper()
    if not to.startswith("/"):
        raise _invalid("destination", f'"{to}" is not an absolute path.')
    check_name(to.strip("/"))
    is_done = names.rename(call.path, to.strip("/"), call.user, option=option)
    return None if option else {"boolean": is_done}


def _delete(names: Namespace, call: HdfsCall) -> dict[str, object]:
    is_recursive = call.parameters.get("recursive", "false").lower() == "true"
    return {"boolean": names.delete(call.path, call.user, is_recursive=is_recursive)}


def _change(names: Namespace, call: HdfsCall) -> None:
    names.change(call.path, call.user, permission=call.parameters.get("permission"), owner=call.parameters.get("owner"))


_ANSWERS: Mapping[str, Callable[[Namespace, HdfsCall], dict[str, object] | None]] = {
    "LISTSTATUS": _list,
    "GETFILESTATUS": _status,
    "GETCONTENTSUMMARY": _summary,
    "GETHOMEDIRECTORY": lambda _, call: {"Path": f"/user/{call.user}"},
    "MKDIRS": _make,
    "RENAME": _rename,
    "DELETE": _delete,
    "SETPERMISSION": _change,
    "SETOWNER": _change,
}
