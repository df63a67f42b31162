"""The settings, the form of their values, and the rejection of secrets.

No I/O, except that settings of backends (`<backend>.max_parallel`) are looked up on demand.
"""

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from pai_jupyter.config import trackers
from pai_jupyter.config.plugins import backends_with_slots
from pai_jupyter.contract import is_secret
from pai_jupyter.errors import SpecError


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting: the form of its values, the variables that may hold it, its key in the official SDK's file."""

    name: str
    pattern: re.Pattern[str]
    example: str
    variables: tuple[str, ...] = ()
    sdk_key: str | None = None
    rule: str = ""  # what a value must be, if the example does not show it


def _setting(
    name: str, pattern: str, example: str, *variables: str, sdk_key: str | None = None, rule: str = ""
) -> Setting:
    own = f"PAI_JUPYTER_{name.upper().replace('.', '_')}"
    return Setting(
        name=name, pattern=re.compile(pattern), example=example, variables=(own, *variables), sdk_key=sdk_key, rule=rule
    )


# After our own variables: those of the official SDK, PAI's notebooks (DSW) and the cloud's command line.
_REGION = ("PAI_REGION_ID", "ALIBABA_CLOUD_REGION_ID", "REGION", "dsw_region")
_WORKSPACE = ("PAI_WORKSPACE_ID", "PAI_AI_WORKSPACE_ID")
_COUNT = r"[1-9]\d{0,3}"
_MAX_PARALLEL = ".max_parallel"
_ALERT = "(?:end|failed|nan|stalled)"
_MINUTES = r"\d{1,5}(\.\d{1,4})?"
_AT_ONCE = "the number of jobs that run at once, a whole number from 1 to 9999 (empty: as many as there are cores)"
_OWN = {
    setting.name: setting
    for setting in (
        _setting("backend", r"[a-z]\w*", ""),
        _setting("image", r"\S+", "python:3.11"),
        _setting("instance_type", r"[A-Za-z][\w.-]*", "local_gpu"),
        _setting("region", r"[a-z]{2,}(-[a-z0-9]+)+", "cn-shanghai", *_REGION, sdk_key="region_id"),
        _setting("workspace", r"\w[\w-]*", "12345", *_WORKSPACE, sdk_key="workspace_id"),
        _setting(
            "bucket", r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]", "my-bucket", "PAI_OSS_BUCKET", sdk_key="oss_bucket_name"
        ),
        _setting("endpoint", r"(https?://)?[\w.-]+(:\d+)?/?", "oss-cn-shanghai.aliyuncs.com", sdk_key="oss_endpoint"),
        _setting("network", r"(?i:public|vpc)", "vpc", "PAI_NETWORK_TYPE"),
        # The address of an emulator in place of the cloud: on this machine only.
        _setting("services", r"http://(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?", "http://127.0.0.1:8080"),
        # HDFS, as of OpenPAI: where WebHDFS is, as whom it is asked, and where its data nodes are if not where it says.
        _setting("hdfs_url", r"https?://[\w.-]+(:\d{1,5})?(/[\w./-]*)?", "http://master:50070"),
        _setting("hdfs_user", r"[A-Za-z_][A-Za-z0-9._-]*[$]?", "alice", "HADOOP_USER_NAME"),
        _setting(
            "hdfs_datanodes", r"[\w.-]+(:\d+)?=[\w.-]+(:\d+)?(,[\w.-]+(:\d+)?=[\w.-]+(:\d+)?)*", "node-1=10.0.0.5:50075"
        ),
        _setting("profile", r"[\w.-]+", "work"),
        _setting("metric", r"\S(.{0,198}\S)?", "val_auc"),  # the headline metric of jobs in a list, if the job has it
        # Alerts: of what, from which duration of a job on its end is one, after how long without progress it has stalled.
        _setting("notify.on", rf"off|{_ALERT}(,{_ALERT})*", "failed,nan,stalled,end"),
        _setting("notify.after", _MINUTES, "10", rule="a number of minutes, 0 for every job"),
        _setting("notify.stall_after", _MINUTES, "30", rule="a number of minutes, 0 for never"),
        _setting("notify.kind", "dingtalk|feishu|slack|json", "json"),  # of the webhook, if its address does not tell
        # Where jobs are tracked, and in which experiment there (else: that of the notebook's name).
        _setting(trackers.NAME, trackers.PATTERN, trackers.EXAMPLE),
        _setting(trackers.EXPERIMENT, r"\S(.{0,198}\S)?", "iris", "MLFLOW_EXPERIMENT_NAME"),
    )
}


class _Settings(Mapping[str, Setting]):
    """The settings by name: those of the package, then `<backend>.max_parallel` of each backend that has it."""

    def __getitem__(self, name: str) -> Setting:
        if name in _OWN or not name.endswith(_MAX_PARALLEL):
            return _OWN[name]
        return _of_backends()[name]

    def __iter__(self) -> Iterator[str]:
        yield from _OWN
        yield from _of_backends()

    def __len__(self) -> int:
        return len(_OWN) + len(_of_backends())


@cache
def _of_backends() -> Mapping[str, Setting]:
    names = (f"{backend}{_MAX_PARALLEL}" for backend in backends_with_slots())
    return {name: _setting(name, _COUNT, "4", rule=_AT_ONCE) for name in names}


SETTINGS = _Settings()
# Overrides while `services` names an emulator; its OSS is at the same address.
EMULATOR = {"region": "cn-emulator", "workspace": "10001", "bucket": "emulator"}
FOR_CLOUD = (*EMULATOR, "endpoint", "network")  # settings for the cloud that do not apply to an emulator
ONE_CLOUD = ("profile", "services", *FOR_CLOUD)  # they are consistent only if one notebook has set them
# What a profile in the user's file may have besides; never shown, never in a project file or a notebook.
WEBHOOK = ("notify.webhook", "notify.secret")  # its address, and what DingTalk or Feishu has its messages signed with
CREDENTIALS = ("access_key_id", "access_key_secret", "security_token", *WEBHOOK)

_SECRET_NAME = re.compile(r"secret|token|passw|credential|access_?key|private_?key|api_?key", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"LTAI[0-9A-Za-z]{12,}|PRIVATE KEY-----")
_CLIPPED = 60


def check_name(name: str, *, known: Collection[str] = SETTINGS, where: str = "") -> None:
    """Reject a name that is not `known`; the error lists the known ones."""
    if name not in known and name in WEBHOOK:
        raise SpecError(
            f"{where}`{name}` is a secret, which is kept in a profile of your own: type %pai_config set {name}, without a value, "
            "and you are asked for it.",
            field=name,
        )
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        if name.lower() in ("language", "lang", "locale"):
            hint = " For Chinese set the environment variable PAI_JUPYTER_LANG=zh."
        raise SpecError(
            f"{where}there is no setting {_clip(name)!r}; there are {', '.join(known)}.{hint}", field=_clip(name)
        )


def check_value(name: str, value: object, *, where: str = "", backends: Collection[str] = ()) -> str:
    """Validate `value` for `name` and return its text; `backends`: the installed ones, empty = unknown."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if name not in SETTINGS:
        return text
    if name == trackers.NAME:
        trackers.check_tracker(text, where=where)
    if not SETTINGS[name].pattern.fullmatch(text) and SETTINGS[name].rule:
        raise SpecError(
            f"{where}`{name}` is {_clip(str(value))!r}; it must be {SETTINGS[name].rule}, e.g. "
            f"{name}={SETTINGS[name].example}",
            field=name,
        )
    if not SETTINGS[name].pattern.fullmatch(text):
        raise SpecError(
            f"{where}`{name}` is {_clip(str(value))!r}, which is not valid; e.g. {name}={_example(SETTINGS[name])}",
            field=name,
        )
    if name == "backend" and backends and text not in backends:
        raise SpecError(
            f"{where}there is no backend {_clip(text)!r}; there are {', '.join(sorted(backends))}.", field=name
        )
    return text


def refuse_secret(name: str, value: object, *, secrets: Iterable[str] = (), where: str = "") -> None:
    """Reject a credential, by name or value; the error repeats neither, since notebooks save messages."""
    text = f"{name}={value}"
    if (
        _SECRET_NAME.search(name)
        or is_secret(name)
        or _SECRET_VALUE.search(text)
        or any(secret in text for secret in secrets)
    ):
        if name in WEBHOOK:
            check_name(name, where=where)
        raise SpecError(
            f"{where}a secret does not belong here: notebooks and projects are shared. Put it into a profile of your own "
            "(then: %pai_config use PROFILE), into an environment variable, or ask for it with getpass."
        )


def _example(setting: Setting) -> str:
    """Return a value; of the setting `backend`, one that is installed."""
    return setting.example or next(iter(backends_with_slots()), "NAME")


def _clip(text: str) -> str:
    return text if len(text) <= _CLIPPED else text[:_CLIPPED] + "…"
