"""Resolve the effective settings and their origin from these layers, nearest first.

    the option on the line  >  `%pai_config set` and `setup_default_session` in this kernel  >  in a Jupyter server, the
    `%pai_config` settings of its kernels (spoken)  >  the active emulator, if any  >  the project's `pai_jupyter.toml`, nearest
    above the working directory  >  the active profile of the user's `config.toml`  >  the official SDK's
    `~/.pai/config.json` (or $PAI_CONFIG_PATH)  >  environment variables (`names.SETTINGS`)  >  nothing: None

The active profile is itself a setting; the user's file may name one, else it is `default`. Access keys are not settings: `keys`
holds those of this kernel and of profiles in memory.
"""

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.config.environment import secret_values
from pai_jupyter.config.files import FileReader, UserFile, find_project_file, parse_project, parse_sdk, parse_user
from pai_jupyter.config.keys import Key
from pai_jupyter.config.names import FOR_CLOUD, SETTINGS, WEBHOOK, Setting, check_name, check_value, refuse_secret
from pai_jupyter.config.plugins import emulated_backend, secrets_of_backends
from pai_jupyter.config.spoken import heard
from pai_jupyter.config.webhooks import Webhook, webhook_of
from pai_jupyter.contract import is_secret
from pai_jupyter.errors import SpecError

if TYPE_CHECKING:
    from pai_jupyter.config.emulated import Emulated

DEFAULT_PROFILE = "default"
SHORTEST_SECRET = 8  # characters; shorter values ("true", "cn-1") occur in harmless files
_OF_A_JOB = ("DSW_INSTANCE_ID", "DLC_JOB_ID")  # variables set where PAI runs notebooks or jobs


@dataclass(frozen=True, kw_only=True)
class Value:
    """The effective value of one setting and its origin, worded to follow "set in". None = not set."""

    name: str
    value: str | None
    origin: str


class Settings:
    """The settings of one kernel. Sources can be given; the defaults are this process's environment and directories."""

    def __init__(
        self,
        *,
        environ: Mapping[str, str] | None = None,
        home: Path | None = None,
        cwd: Path | None = None,
        user_file: Path | None = None,
    ) -> None:
        self._environ = os.environ if environ is None else environ
        self._home = home
        self._cwd = cwd
        self._user_file = user_file
        self._notebook: dict[str, str] = {}
        self._set_aside: dict[str, str] = {}
        self._keys: dict[str | None, Key] = {}  # by the emulator's address; None = the cloud
        self._secrets: set[str] = set()
        self._spoken: Path | None = None
        self._reader = FileReader()

    def get(self, name: str, line: str | None = None) -> str | None:
        return self.resolve(name, line).value

    def resolve(self, name: str, line: str | None = None) -> Value:
        """Return the effective value of `name` and its origin; `line` is the value on the magic line.

        Raises:
            SpecError: there is no such setting, or a layer that was read is invalid.
        """
        check_name(name)
        if line is not None:
            return Value(name=name, value=check_value(name, line), origin="line")
        for origin, value in self._layers(name):
            if value:
                return Value(name=name, value=check_value(name, value, where=f"{origin}: "), origin=origin)
        return Value(name=name, value=None, origin="default")

    def all(self) -> list[Value]:
        """Return the effective value of every setting."""
        return [self.resolve(name) for name in SETTINGS]

    def set(self, name: str, value: str, *, backends: Collection[str] = ()) -> None:
        """Set `name` to `value` in this kernel; "" unsets it. `backends` are the installed ones.

        Raises:
            SpecError: a secret, an unknown name or an invalid value; nothing is set then.
        """
        self.update({name: value}, backends=backends)

    def update(self, values: Mapping[str, str], *, key: Key | None = None, backends: Collection[str] = ()) -> None:
        """Set all of these in this kernel, or none, and use `key` for the cloud or the active emulator.

        Raises:
            SpecError: as `set`.
        """
        checked = {name: self._checked(name, value, backends) for name, value in values.items()}
        services = self.get("services") if key is not None else None
        self._take_out(*checked)
        self._notebook |= {name: text for name, text in checked.items() if text}
        if key is not None:
            self._keys[services] = key

    def _checked(self, name: str, value: str, backends: Collection[str]) -> str:
        refuse_secret(name, value, secrets=self.loaded_secrets())
        check_name(name)
        text = check_value(name, value, backends=backends) if value else ""
        if text and name == "profile":
            self._profile(text, "%pai_config")
        return text

    def hear(self, path: Path) -> None:
        """Add the settings that kernels write to this file as a layer; for a Jupyter server, whose panel has no kernel."""
        self._spoken = path

    def said(self, names: Collection[str]) -> dict[str, str | None]:
        """Return the values that were set in this kernel for `names`; None = not set."""
        return {name: self._notebook.get(name) for name in names}

    def use(self, profile: str) -> None:
        """Activate a profile of the user's file in this kernel."""
        self.set("profile", profile)

    def webhook(self, profile: str | None = None) -> Webhook | None:
        """Return where alerts are sent to, of `profile` (None = the active one, "" = none), else of the environment; None if nowhere.

        Raises:
            SpecError: the address, or a file, is invalid.
        """
        values = self._profile_values() if profile is None else self._profile_or_none(profile)
        name = self.profile_in_force() if profile is None else profile
        where = f"profile {name!r}" if values.get(WEBHOOK[0]) else "the environment"
        kind = values.get("notify.kind") if profile is not None else self.get("notify.kind")
        return webhook_of({**values, "notify.kind": kind or ""}, self._environ, where=where)

    def use_emulator(self, address: str) -> None:
        """Activate the emulator at `address` in this kernel; the kernel's cloud settings are put aside."""
        address = check_value("services", address)
        if "services" not in self._notebook:
            self._set_aside = self._take_out(*FOR_CLOUD)
        self._notebook["services"] = address

    def leave_emulator(self) -> None:
        """Deactivate the emulator: drop its settings and restore those put aside."""
        if self._notebook.pop("services", None) is not None:
            self._take_out(*FOR_CLOUD)
            self._notebook |= self._set_aside
            self._set_aside = {}

    def emulated(self, address: str) -> "Emulated":
        """Return the emulator at `address`; details are known only if it is this user's own."""
        from pai_jupyter.config.emulated import Emulated, parse_emulated, port_of  # most kernels have none

        with suppress(SpecError, RuntimeError, OSError):  # an unreadable file is ignored
            emulated = self._reader.read(self._emulator_home() / "address.json", parse_emulated)
            if emulated.port == port_of(address):
                return emulated
        return Emulated()

    def key(self, services: str | None) -> Key | None:
        """Return the key set in this kernel for the cloud (`services` None) or an emulator; None if unset."""
        return self._keys.get(services)

    def profile_in_force(self) -> str:
        """Return the name of the active profile; the default profile may not exist."""
        return self.get("profile") or DEFAULT_PROFILE

    def profile_names(self) -> list[str]:
        """Return the names of the profiles in the user file.

        Raises:
            SpecError: the file cannot be understood.
        """
        return sorted(self._user().profiles)

    def profile_key(self, profile: str | None = None) -> Key | None:
        """Read the key of `profile` (None = the active one) from the user file; None if it has no key.

        Raises:
            SpecError: it has half a key, or the file cannot be understood.
        """
        values = self._profile_values() if profile is None else self._profile_or_none(profile)
        return Key.of(values, origin=f"profile {(profile or self.profile_in_force())!r}")

    def keep_secret(self, *secrets: str) -> None:
        """Add secrets that this kernel received from elsewhere to the loaded ones."""
        self._secrets.update(secrets)

    def loaded_secrets(self) -> frozenset[str]:
        """Return the secrets available to this user, which no package may contain."""
        found = secret_values(self._environ).union(self._secrets, *(key.secrets for key in self._keys.values()))
        files: list[Mapping[str, str]] = []
        with suppress(
            SpecError
        ):  # secrets in an invalid file cannot be loaded; code that needs the file reports the error
            files.append(self._sdk())
        with suppress(SpecError):
            files += self._user().profiles.values()
        found |= {value for values in files for name, value in values.items() if is_secret(name)}
        found |= secrets_of_backends()
        return frozenset(value for value in found if len(value) >= SHORTEST_SECRET)

    def _layers(self, name: str) -> Iterator[tuple[str, str | None]]:
        """Yield `(origin, value)` of each layer, nearest first; files are read only when reached."""
        setting = SETTINGS[name]
        yield "notebook", self._notebook.get(name)
        if self._spoken is not None:
            yield "%pai_config in a notebook", heard(self._spoken).get(name)
        if name in FOR_CLOUD and (address := self.get("services")):
            yield "emulator", self.emulated(address).values.get(name) or (address if name == "endpoint" else None)
        if (path := self.project_file()) is not None:
            yield f"project file {str(path)!r}", self._reader.read(path, parse_project).get(name)
        if name == "profile":
            yield f"user file {str(self.user_path())!r}", self._user().profile
        else:
            yield from self._from_profile(name)
        if setting.sdk_key is not None:
            yield f"SDK file {str(self.sdk_path())!r}", self._sdk().get(setting.sdk_key)
        for variable in setting.variables:
            yield f"variable {variable}", self._variable(setting, variable)
        if name == "backend" and self.get("services"):
            yield (
                "emulator",
                emulated_backend(),
            )  # a user with an emulator wants to use it, unless a nearer layer says otherwise

    def _take_out(self, *names: str) -> dict[str, str]:
        return {name: self._notebook.pop(name) for name in names if name in self._notebook}

    def _variable(self, setting: Setting, variable: str) -> str | None:
        value = self._environ.get(variable)
        if variable == "REGION" and not any(name in self._environ for name in _OF_A_JOB):
            return None
        # Any tool may set REGION: of variables that are not ours, only valid values count.
        is_meant = variable == setting.variables[0] or (value is not None and setting.pattern.fullmatch(value))
        return value if is_meant else None

    def _from_profile(self, name: str) -> Iterator[tuple[str, str | None]]:
        yield f"profile {self.profile_in_force()!r}", self._profile_values().get(name)

    def _profile_values(self) -> Mapping[str, str]:
        chosen = self.resolve("profile")
        return self._profile(chosen.value, chosen.origin) if chosen.value else self._profile_or_none(DEFAULT_PROFILE)

    def _profile_or_none(self, name: str) -> Mapping[str, str]:
        return self._user().profiles.get(name, {})

    def _profile(self, name: str, origin: str) -> Mapping[str, str]:
        user = self._user()
        if name not in user.profiles:
            known = ", ".join(sorted(user.profiles)) or "none"
            raise SpecError(
                f"{origin}: there is no profile {name!r} in {str(self.user_path())!r}; there are: {known}. "
                f"Add a table [profiles.{name}] there.",
                field="profile",
            )
        return user.profiles[name]

    def _user(self) -> UserFile:
        return self._reader.read(self.user_path(), parse_user)

    def user_path(self) -> Path:
        """Return the path of the user file, which may not exist."""
        if self._user_file is None:
            from platformdirs import user_config_path  # late: most kernels never ask

            self._user_file = user_config_path("pai_jupyter") / "config.toml"
        return self._user_file

    def _emulator_home(self) -> Path:
        """Return the emulator's directory, as `cloud.session.emulator_home` does in a layer above this one."""
        if given := self._environ.get("PAI_JUPYTER_HOME"):
            return Path(given).expanduser().absolute() / "emulator"
        from platformdirs import user_state_path  # late: most kernels never ask

        return user_state_path("pai_jupyter", appauthor=False) / "emulator"

    def _sdk(self) -> Mapping[str, str]:
        return self._reader.read(self.sdk_path(), parse_sdk)

    def sdk_path(self) -> Path:
        """Return the path of the official SDK's file, which may not exist."""
        given = self._environ.get("PAI_CONFIG_PATH")
        # os.path: without a home directory (some containers) it gives a missing path, while Path.home raises.
        home = self._home or Path(os.path.expanduser("~"))  # noqa: PTH111
        return Path(given) if given else home / ".pai" / "config.json"

    def project_file(self) -> Path | None:
        """Return the path of the project's `pai_jupyter.toml`; None if there is none."""
        try:
            return find_project_file(self._cwd or Path.cwd())
        except FileNotFoundError:
            return None  # the working directory was removed
