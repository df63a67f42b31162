"""The POSIX sh code around the user's command, process 1 of the container.

It redirects output to the bound log file, installs requirements, runs the command, passes TERM to all processes, enforces the
time limit, and records CPU time and peak memory. What concerns several replicas is in `peers`. It only needs `sh`: without
`sleep` there is no time limit, a stop kills at once, and only a follower ends a replica because of the others. It does not
depend on a living kernel.

Rule 1: process 1 is never the user's command, since the kernel drops signals that process 1 does not handle.
Rule 2: the command runs in the background, since only a waiting shell handles TERM. A shell starts background commands with INT
    and QUIT ignored; `env --default-signal`, if available, restores them.
Rule 3: our own exit codes count only if phase or duration agree (outcome.py).
Rule 4: helpers are started by a subshell that ends at once. So the shell does not know them, and their end is in no log.
"""

import shlex
from collections.abc import Sequence

from pai_jupyter.backends.docker.peers import ALONE, PeerRules

# Files of the job folder, bound into the container.
LOG, PHASES, USAGE, REQUIREMENTS = "/.pai/log", "/.pai/phases", "/.pai/usage", "/.pai/requirements.txt"
INPUTS = "/.pai/inputs"  # directories of other jobs that have inputs
TIME_IS_UP, NO_PYTHON, NO_PIP, NO_REQUIREMENTS = 124, 97, 98, 99
GRACE = 10  # seconds between TERM and KILL

# `_ended`: the exit code because of a signal. `_told`: what the other replicas are told of that end.
_SCRIPT = """\
_ended= _told=
everybody() {{ kill "-$1" -1 2>/dev/null; }}
end() {{
    _ended=${{_ended:-$1}} _told=${{_told:-$2}}
    everybody TERM
    everybody CONT
}}
trap 'end 143 terminated' TERM
trap 'end 143 stopped' USR1
trap 'end {time_is_up} failed' ALRM
exec >>{log} 2>&1 </dev/null
run() {{
    [ -z "$_ended" ] || leave "$_ended"
    "$@" 9>&- &
    [ -z "$_ended" ] || everybody TERM
    wait $!
    _code=$?
    [ -z "$_ended" ] || leave "$_ended"
}}
leave() {{
    tell "$1"
    _tenths={tenths}
    while [ -n "$_ended" ] && [ "$_tenths" -gt 0 ] && everybody 0; do
        _tenths=$((_tenths - 1))
        sleep 0.1 2>/dev/null || _tenths=0
    done
    everybody KILL
    times >{usage}
    for file in /sys/fs/cgroup/memory.peak /sys/fs/cgroup/memory/memory.max_usage_in_bytes; do
        if [ -r $file ]; then read -r peak <$file && echo "$peak" >>{usage}; fi
    done
    exit "$1"
}}
now() {{ date +%s 2>/dev/null || echo 0; }}
limit() {{ :; }}
{peers}\
{preparation}\
echo "running $(wc -c <{log} 2>/dev/null || echo -)" >>{phases}
if env --default-signal true >/dev/null 2>&1; then set -- env --default-signal "$@"; fi
run "$@"
{restarts}\
leave $_code
"""

_LIMIT = """\
_began=$(now)
limit() {{
    _rest=$(({seconds} + _began - $(now)))
    [ "$_rest" -gt 0 ] || _rest=1
    (sleep $_rest && kill -ALRM 1 &)
}}
if command -v sleep >/dev/null; then
    limit
else
    echo "pai_jupyter: this image has no sleep, so max_run_time is not held."
fi
"""

_PYTHON = """\
command -v python >/dev/null || leave {no_python}
"""

_INSTALL = """\
python -c 'import pip' 2>/dev/null || leave {no_pip}
echo {title}
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
run python -m pip install --no-input {words}
[ "$_code" -eq 0 ] || leave {no_requirements}
unset PIP_DISABLE_PIP_VERSION_CHECK PIP_ROOT_USER_ACTION
"""


def container_command(
    argv: Sequence[str], *, requirements: Sequence[str] = (), limit: int | None = None, peers: PeerRules = ALONE
) -> list[str]:
    """Build the `sh` arguments: install the requirements files, then run `argv` for at most `limit` seconds."""
    words = [word for file in requirements for word in ("-r", file)]
    preparation = _LIMIT.format(seconds=limit) if limit is not None else ""
    if requirements or any(text.split()[:1] == ["python"] for text in argv[2:3]):
        preparation += _PYTHON.format(no_python=NO_PYTHON)
    if requirements:
        preparation += _INSTALL.format(
            no_pip=NO_PIP,
            no_requirements=NO_REQUIREMENTS,
            title=shlex.quote(f"pip install {shlex.join(words)}"),
            words=shlex.join(words),
        )
    text = _SCRIPT.format(
        log=LOG,
        phases=PHASES,
        usage=USAGE,
        time_is_up=TIME_IS_UP,
        tenths=10 * GRACE,
        peers=peers.functions(),
        preparation=preparation,
        restarts=peers.restarting(LOG),
    )
    return ["-c", text, "sh", *argv]
