"""The emulated cluster as one ASGI application, behind the paths of the portal: /rest-server, /log-manager."""

import json
import logging
import re
import traceback
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import yaml
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from pai_jupyter.backends.openpai.job_file import read_job_file, validate
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.openpai.frameworks import ERRORS, STORAGE, Frameworks, attempt_id, storages
from pai_jupyter.emulator.openpai.logs import LogManager, directory, of_container, page
from pai_jupyter.emulator.openpai.tokens import Accounts
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.emulator.state.faults import FaultName, Rule
from pai_jupyter.emulator.webhdfs.namespace import Namespace
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json

Generation = Literal["yarn", "kubernetes"]
MOST_BYTES = 102_400  # of a body
_GUEST = "Guest is not allowed to do this operation."
_Handler = Callable[["OpenPaiEmulator", Request, dict[str, str]], Awaitable[Response]]
_log = logging.getLogger(__name__)


class OpenPaiEmulator:
    """The ASGI application of one cluster; `files` is its HDFS, if it has one."""

    def __init__(self, world: EmulatorContext, generation: Generation, *, files: Namespace | None = None) -> None:
        self.world = world
        self.generation = generation
        self.accounts = Accounts.of(world.data)
        self.frameworks = Frameworks(world, generation, files)
        self.logs = LogManager(self.accounts.key)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await receive()
            self.frameworks.resume()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await self.frameworks.aclose()
            await self.world.runner.close()
            await send({"type": "lifespan.shutdown.complete"})
        elif scope["type"] == "http":
            response = await self._answer(Request(scope, receive))
            await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        try:
            return await self._handle(request)
        except ApiRefusal as exc:
            return refused(exc.status, exc.code, exc.message)
        except Exception as exc:  # noqa: BLE001  a bug of ours; its message may contain secrets
            _log.error("%s in\n%s", type(exc).__name__, "".join(traceback.format_tb(exc.__traceback__)))
            return refused(500, "UnknownError", "The emulator has failed. See its log.")

    async def _handle(self, request: Request) -> Response:
        path = request.url.path
        if path == "/emulator/faults":
            return await self._control(request)
        rule = self.world.faults.strike(f"OpenPAI:{request.method}", request.method, path)
        if rule is None and path.startswith("/log-manager/"):
            rule = self.world.faults.strike("OpenPAI:LOG", request.method, path)
        if rule is not None and (broken := fault(rule)) is not None:
            return broken
        for method, pattern, handler in ROUTES[self.generation]:
            if method == request.method and (found := re.fullmatch(pattern, path)):
                answer = await handler(self, request, found.groupdict())
                return truncated(answer) if rule is not None and rule.name is FaultName.TRUNCATED else answer
        raise ApiRefusal(404, "NoApiError", f"API {path} is not found.")

    async def _control(self, request: Request) -> Response:
        if request.headers.get("x-emulator-token") != (self.world.data / "control.token").read_text():
            raise ApiRefusal(403, "ForbiddenUserError", "x-emulator-token is not the token of this emulator")
        if request.method == "DELETE":
            self.world.faults.clear()
        else:
            self.world.faults.rules.append(Rule.read(await body_of(request)))
        return JSONResponse({})

    def user(self, request: Request) -> str:
        """Return whose token the request has."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        user = self.accounts.user_of(token, self.world.now()) if kind == "Bearer" else None
        if user is None:
            said = _GUEST if not token or self.generation == "yarn" else "Your token is invalid."
            raise ApiRefusal(401, "UnauthorizedUserError", said)
        return user

    def record(self, framework: str) -> Fields:
        found = self.frameworks.find(framework)
        if found is None:
            code = "NoJobError" if self.generation == "kubernetes" else "UnknownError"
            raise ApiRefusal(404, code, f"Job {framework} is not found.")
        return found


def refused(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse({"code": code, "message": message} if code else {"message": message}, status_code=status)


def fault(rule: Rule) -> Response | None:
    """Return the answer of a fault that replaces the server's own."""
    match rule.name:
        case FaultName.THROTTLING:
            return PlainTextResponse("Too many requests, please try again later.", 429, {"X-RateLimit-Limit": "60"})
        case FaultName.SERVER_ERROR:
            return refused(503, "", "Service Unavailable")
        case FaultName.EXPIRED_TOKEN:
            return refused(401, "UnauthorizedUserError", "Your token is invalid.")
        case FaultName.NO_PERMISSION:
            return refused(403, "ForbiddenUserError", "User is not allowed to do this operation.")
        case FaultName.HTML:
            return PlainTextResponse("<html>502 Bad Gateway</html>", 502, media_type="text/html")
    return None


def truncated(answer: Response) -> Response:
    """Cut a body in its middle; the headers still say its length."""
    cut = Response(bytes(answer.body)[: len(answer.body) // 2], status_code=answer.status_code)
    cut.raw_headers = answer.raw_headers
    return cut


async def body_of(request: Request) -> Fields:
    try:
        value = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ApiRefusal(400, "InvalidParametersError", "should be object")
    return value


async def info(app: OpenPaiEmulator, request: Request, path: dict[str, str]) -> Response:
    login = "/api/v1/authn/basic/login"
    return JSONResponse({"authn_type": "basic", "loginURI": login, "loginURIMethod": "post"})


async def version(app: OpenPaiEmulator, request: Request, path: dict[str, str]) -> Response:
    found = {"name": "PAI RESTful API (emulator)", "version": "v1.8.0", "launcherType": "k8s", "authnMethod": "basic"}
    return JSONResponse(found)


async def login(app: OpenPaiEmulator, request: Request, path: dict[str, str]) -> Response:
    given = await body_of(request)
    user, password = str(given.get("username")), str(given.get("password"))
    if user != app.accounts.user:
        raise ApiRefusal(400, "NoUserError", f"User {user} is not found.")
    if password != app.accounts.password:
        raise ApiRefusal(400, "IncorrectPasswordError", "Password is incorrect.")
    return JSONResponse({"user": user, "token": app.accounts.token(user, app.world.now()), "admin": False})


async def application_token(app: OpenPaiEmulator, request: Request, path: dict[str, str]) -> Response:
    token = app.accounts.token(app.user(request), app.world.now(), is_endless=True)
    return JSONResponse({"token": token, "application": True})


async def submit_v2(app: OpenPaiEmulator, request: Request, path: dict[str, str]) -> Response:
    user, data = app.user(request), await request.body()
    if not request.headers.get("content-type", "").startswith("text/"):
        raise ApiRefusal(400, "InvalidProtocolError", "should be object")
    return _submit(app, user, data, "v2")


async def submit_v1(app: OpenPaiEmulator, request: Request, path: dict[str, str]) -> Response:
    user, data = app.user(request), await request.body()
    if path["user"] != user:
        raise ApiRefusal(403, "ForbiddenUserError", f"User {user} is not allowed to submit for {path['user']}.")
    return _submit(app, user, data, "v1")


def _submit(app: OpenPaiEmulator, user: str, data: bytes, kind: str) -> Response:
    if len(data) > MOST_BYTES:
        raise ApiRefusal(413, "", "request entity too large")
    text = data.decode(errors="replace")
    try:
        config: Any = read_job_file(text, kind)  # Any: JSON
    except (SpecError, yaml.YAMLError) as exc:
        raise ApiRefusal(500 if kind == "v2" else 400, "", str(exc)) from exc
    if problems := validate(config, kind):
        faults = json.dumps([{"keyword": "emulator", "dataPath": "", "message": each} for each in problems])
        raise ApiRefusal(400, "InvalidProtocolError" if kind == "v2" else "InvalidParametersError", faults)
    name = str(config["name" if kind == "v2" else "jobName"])
    if app.frameworks.find(f"{user}~{name}") is not None:
        raise ApiRefusal(409, "ConflictJobError", f"Job name {user}~{name} already exists.")
    where = _table(config, "defaults").get("virtualCluster") if kind == "v2" else config.get("virtualCluster")
    if where not in (None, "", "default"):
        unknown = (404, "NoVirtualClusterError") if app.generation == "yarn" else (403, "ForbiddenUserError")
        raise ApiRefusal(*unknown, f"Virtual cluster {where} is not found or not allowed.")
    if kind == "v2" and (unknown_names := set(storages(config)) - {STORAGE}):
        raise ApiRefusal(404, "NoStorageError", f"Storage {min(unknown_names)} is not found.")
    record = app.frameworks.create(user, name, dict(config), kind)
    if kind == "v1":
        return JSONResponse(app.frameworks.detail(record, app.world.address), 201)
    return JSONResponse({"status": 202, "message": f"Update job {user}~{name} for user {user} successfully."}, 202)


def _table(config: Fields, name: str) -> dict[str, Json]:
    found = config.get(name)
    return found if isinstance(found, dict) else {}


async def listed(app: OpenPaiEmulator, request: Request, path: dict[str, str]) -> Response:
    if app.generation == "kubernetes":
        app.user(request)
    names = (path.get("user") or request.query_params.get("username") or "").split(",")
    rows = [row for row in app.frameworks.rows() if names == [""] or row["user"] in names]
    limit = int(request.query_params.get("limit") or 5000)
    return JSONResponse([app.frameworks.summary(row) for row in rows[:limit]])


async def got(app: OpenPaiEmulator, request: Request, path: dict[str, str]) -> Response:
    if app.generation == "kubernetes":
        app.user(request)
    return JSONResponse(app.frameworks.detail(app.record(_framework(path)), app.world.address))


async def configured(app: OpenPaiEmulator, request: Request, path: dict[str, str]) -> Response:
    if app.generation == "kubernetes":
        app.user(request)
    config = dict(_table(app.record(_framework(path)), "config"))
    if "secrets" in config:
        config["secrets"] = "******"
    return PlainTextResponse(json.dumps(config), media_type="text/yaml")


async def executed(app: OpenPaiEmulator, request: Request, path: dict[str, str]) -> Response:
    user, value = app.user(request), (await body_of(request)).get("value")
    record = app.record(_framework(path))
    if record["user"] != user:
        raise ApiRefusal(403, "ForbiddenUserError", f"User {user} is not allowed to change the job.")
    if value not in ("START", "STOP") and app.generation == "kubernetes":
        raise ApiRefusal(400, "InvalidParametersError", "value must be one of START, STOP")
    await app.frameworks.execute(record, str(value))
    return JSONResponse({"message": "execute job successfully"}, 202)


async def log_list(app: OpenPaiEmulator, request: Request, path: dict[str, str]) -> Response:
    app.user(request)
    attempt = int(path["attempt"])
    if not app.frameworks.has_begun({**app.record(path["framework"]), "attempt": attempt}):
        raise ApiRefusal(404, "NoTaskLogError", "The task log is not found.")
    return app.logs.locations(path["framework"], path["role"], int(path["index"]), attempt)


async def log_file(app: OpenPaiEmulator, request: Request, path: dict[str, str]) -> Response:
    given = request.query_params
    attempt = given.get("pod-uid", "").rpartition("-")[2]
    job_id = attempt_id(given.get("framework-name", ""), int(attempt) if attempt.isdigit() else 0)
    return app.logs.read(request, app.world.runner.job(job_id), given.get("taskrole", "").lower())


async def log_page(app: OpenPaiEmulator, request: Request, path: dict[str, str]) -> Response:
    start, end = (request.query_params.get(name) for name in ("start", "end"))
    content = _logs(app, path).get(path["file"], b"")
    return page(content, int(start or 0), int(end) if end else None)


async def log_directory(app: OpenPaiEmulator, request: Request, path: dict[str, str]) -> Response:
    return directory(_logs(app, path))


def _logs(app: OpenPaiEmulator, path: dict[str, str]) -> dict[str, bytes]:
    job_id, replica = f"openpai-{path['id']}", path["replica"]
    return of_container(app.world.runner.job(job_id), replica, app.world.data / ERRORS / f"{job_id}-{replica}")


def _framework(path: dict[str, str]) -> str:
    return path.get("framework") or f"{path['user']}~{path['name']}"


_API = "/rest-server/api"
_TASK = r"/attempts/(?P<attempt>\d+)/taskRoles/(?P<role>\w+)/taskIndex/(?P<index>\d+)/attempts/0/logs"
_V2 = rf"{_API}/v2/jobs/(?P<framework>[^/]+)"
_NODE = r"/node/containerlogs/(?P<id>[0-9a-f]{32}(?:-\d+)?)_(?P<replica>[^/]+)/[^/]+"
_V1 = rf"{_API}/v1/user/(?P<user>[^/]+)/jobs"
_BOTH: tuple[tuple[str, str, _Handler], ...] = (
    ("GET", rf"{_API}/v1/authn/info", info),
    ("POST", rf"{_API}/v1/(authn/basic/login|token)", login),
    ("POST", rf"{_API}/v2/jobs", submit_v2),
    ("GET", rf"{_V2}/config", configured),
)
ROUTES: dict[Generation, tuple[tuple[str, str, _Handler], ...]] = {
    "kubernetes": (
        *_BOTH,
        ("GET", rf"{_API}/v2/info", version),
        ("POST", rf"{_API}/v1/token/application", application_token),
        ("GET", rf"{_API}/v2/jobs", listed),
        ("GET", _V2, got),
        ("PUT", rf"{_V2}/executionType", executed),
        ("GET", rf"{_V2}{_TASK}", log_list),
        ("GET", r"/log-manager/[^/]+/api/v1/logs/\w+", log_file),
    ),
    "yarn": (
        *_BOTH,
        ("POST", _V1, submit_v1),
        ("GET", rf"{_API}/v1/jobs", listed),
        ("GET", _V1, listed),
        ("GET", rf"{_V1}/(?P<name>[^/]+)", got),
        ("GET", rf"{_V1}/(?P<name>[^/]+)/config", configured),
        ("PUT", rf"{_V1}/(?P<name>[^/]+)/executionType", executed),
        ("GET", rf"{_NODE}/(?P<file>[\w.]+)/?", log_page),
        ("GET", rf"{_NODE}/", log_directory),
    ),
}
