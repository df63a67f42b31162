"""The properties of the process backend; light to import."""

import os
from dataclasses import dataclass

from pai_jupyter.backends.health import Check, Health
from pai_jupyter.backends.info import BackendInfo
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.spec import JobSpec


@dataclass(frozen=True, kw_only=True)
class ProcessInfo(BackendInfo):
    """The process backend's properties; checks how a process gets its /ml."""

    @property
    def literal_ml(self) -> bool:
        from pai_jupyter.backends.process import isolation  # imported late: it needs the tree of a job

        return isolation.choose(wanted_isolation()) is not isolation.Isolation.PLAIN

    @property
    def has_own_root(self) -> bool:
        from pai_jupyter.backends.process import isolation  # imported late, as above

        try:
            return isolation.choose(wanted_isolation()) is isolation.Isolation.BWRAP
        except PaiJupyterError:
            return False

    def measures(self, spec: JobSpec) -> bool:
        return True

    def health(self, *, is_asked: bool = False) -> Health:
        """Report whether jobs have a directory /ml; jobs run without one, too."""
        check = _literal_ml()
        note = "Jobs run on this machine. They find their files below /ml, as on PAI."
        if not check.is_good:
            note = f"Jobs run on this machine. They have no directory /ml: {check.found}. {check.remedy}"
        return Health(is_ready=True, note=note, checks=(check,))


def wanted_isolation() -> str:
    """Return how the user wants processes to see /ml: `PAI_JUPYTER_ML`, else `auto`."""
    return os.environ.get("PAI_JUPYTER_ML", "auto")


def _literal_ml() -> Check:
    from pai_jupyter.backends.process import isolation  # imported late, as above

    what = "/ml in local processes"
    try:
        chosen = isolation.choose(wanted_isolation())
    except PaiJupyterError as exc:
        return Check(what=what, found=str(exc), remedy="unset PAI_JUPYTER_ML", is_good=False)
    if chosen is not isolation.Isolation.PLAIN:
        return Check(what=what, found=f"yes, through {chosen.value}")
    remedy = "Install bubblewrap (Debian: apt-get install bubblewrap), or proot where that is refused."
    return Check(what=what, found="no; use the PAI_* variables for paths", remedy=remedy, is_good=False)


INFO = ProcessInfo(
    name="process",
    title="Local process",
    is_local=True,
    is_automatic=True,
    has_slots=True,
    shares_kernel=True,
    time_limit=1,
    inherits="The job also has the environment variables of the kernel, such as HOME and LANG, except those that look "
    "like credentials. Their values are not recorded.",
)
