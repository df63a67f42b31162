"""Pass variables of this process to a job by name: `--pass-env NAME`.

The job's record only has the name. The value comes from the submitter's environment on submission; a rerun uses its own.
"""

import re
from collections.abc import Mapping

from pai_jupyter.spec import JobSpec

OPTION = "pass_env"  # name of the option "local.*"
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def check_passed(spec: JobSpec, environ: Mapping[str, str]) -> list[str]:
    """Return one sentence for each variable name that cannot be passed on."""
    given = spec.backend_options.get("local", {}).get(OPTION, [])
    if not isinstance(given, list) or not all(isinstance(name, str) and _NAME.fullmatch(name) for name in given):
        return [f"`local.{OPTION}` is {given!r}; it is a list of names of variables. Type --pass-env HF_TOKEN"]
    return [
        f"`--pass-env {name}`: there is no such variable here. Set it first: "
        f"import os, getpass; os.environ[{name!r}] = getpass.getpass()"
        for name in passed_names(spec)
        if name not in environ
    ]


def passed_names(spec: JobSpec) -> list[str]:
    given = spec.backend_options.get("local", {}).get(OPTION, [])
    return list(dict.fromkeys(str(name) for name in given)) if isinstance(given, list) else []


def passed_variables(spec: JobSpec, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that are passed on to the job, with their values in `environ`."""
    return {name: environ[name] for name in passed_names(spec) if name in environ}
