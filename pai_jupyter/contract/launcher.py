"""What runs around the user's command on PAI: a few lines of sh that add what the service does not give of the contract.

    PAI_OUTPUT_LOGS, PYTHONUNBUFFERED       the variables that it does not know
    PAI_HPS, PAI_USER_ARGS                  values in their own types and as the script takes them (flags): it has texts only
    /ml/code, /ml/output/logs               the links
    "$@"                                    the words behind $PAI_USER_ARGS, unchanged (see `command`)
    the end mark                            the exit code, which the service does not tell, as the last line of the log

The mark also says that the log is complete: the service's logs lag behind its status by seconds, and nothing else in them
tells whether there is more to come. It holds the job's id, and whoever follows the job takes it out of the log. Behind a
line that had no end it is the end of that line.

Rule 1: nothing more. The service's own variables are used where they are set, and none of them is replaced.
Rule 2: a TERM goes to the command, and the shell outlives it for the mark. The command runs in the background, for only
    so is a TERM heard while it runs; `env --default-signal`, where there is one, undoes what else that means for it.
"""

import re
import shlex
from string import Template

from pai_jupyter.contract.command import command
from pai_jupyter.contract.values import as_json, check_passable, texts, user_args
from pai_jupyter.spec import JobSpec

END_MARK = re.compile(r"pai_jupyter: job (?P<job>[\w.-]+) ended with exit code (?P<code>\d{1,3})\Z")
_MARK = "pai_jupyter: job {job} ended with exit code {code}"

_LAUNCHER = Template(
    r"""ml=$${PAI_WORKING_DIR:-/ml/usercode/}; ml=$${ml%/}; ml=$${ml%/*}
export PAI_OUTPUT_LOGS="$${PAI_OUTPUT_TENSORBOARD:-$$ml/output/tensorboard/}" PYTHONUNBUFFERED="$${PYTHONUNBUFFERED-1}"
${values}[ -e "$$ml/code" ] || ln -s usercode "$$ml/code" 2>/dev/null
[ -e "$$ml/output/logs" ] || ln -s tensorboard "$$ml/output/logs" 2>/dev/null
unset ml
set -- ${command}
if env --default-signal true >/dev/null 2>&1; then set -- env --default-signal "$$@"; fi
"$$@" &
child=$$!
trap 'kill -TERM "$$child" 2>/dev/null' TERM
wait "$$child" 2>/dev/null; code=$$?
while kill -0 "$$child" 2>/dev/null; do wait "$$child" 2>/dev/null; code=$$?; done
printf '%s%s\n' ${mark} "$$code"
exit "$$code"
"""
)


def launcher(spec: JobSpec, *, job_id: str) -> str:
    """The text for `sh -c` that runs the job's command; it ends the log with the mark of `job_id`.

    Raises:
        SpecError: it is longer than what a program can be given.
    """
    wanted = command(spec)
    values = f"export PAI_HPS={shlex.quote(as_json(spec))} PAI_USER_ARGS={shlex.quote(' '.join(user_args(spec)))}\n"
    text = _LAUNCHER.substitute(
        values=values if texts(spec) else "",
        command=shlex.join(wanted.argv),
        mark=shlex.quote(end_mark(job_id, "")),
    )
    check_passable(text, what="`command`, with the hyperparameters written into it,", field="command")
    return text


def end_mark(job_id: str, code: int | str) -> str:
    """The last line of a log, without its end."""
    return _MARK.format(job=job_id, code=code)
