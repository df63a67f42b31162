"""The POSIX sh code by which a job's containers end, and start again, because of each other, with nobody following.

All replicas share the file run/replicas, to which their scripts append:

    worker-1 failed                         its end: succeeded, failed, terminated (it got TERM), stopped (because of the others)
    worker-1 failed 0 137 1795233904        an attempt that is followed by another one, as in `local.replica_history`
    worker-1 running 1 - 1795233905

A helper beside the command reads it once a second, and signals process 1 when the job is decided and the replica may last no
longer (contract/policy.py). So each ends within seconds, as long as its image has `sleep`.

A process 1 that is killed says nothing. So run/alive has a pipe for each replica, which its script keeps open to the end, and
each replica waits at that of the next one, in a ring, until the kernel closes it. At the end of that one it goes on to the one
behind. The pipes are bound read-only: a script can open them, but not replace them.

Rule 1: a job can write what it likes into file and pipes. It can end its own job by that, or keep its replicas alive; how the
    job ended is the engine's word alone (outcome.py).
Rule 2: a failed worker of an ElasticBatchJob is started again here, not by the engine's `on-failure:3`. The engine would start
    again what our own exit codes and a stop have ended, install the requirements and begin the time limit each time, and a
    follower could take the pause in between for the end.
"""

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.backends.local import SHARDS_DONE
from pai_jupyter.backends.local.replica_history import HISTORY as HISTORY
from pai_jupyter.contract import PATHS, RoleCompletion

PIPES = "alive"  # directory in the job's run/
REPLICAS, ALIVE = "/.pai/replicas", "/.pai/alive"  # run/replicas and run/alive, bound into the container
ALL_DONE = f"{PATHS.root}/{SHARDS_DONE}"  # in the container
SUCCEEDED, FAILED, TERMINATED, STOPPED = "succeeded", "failed", "terminated", "stopped"

_FUNCTIONS = """\
tell() {{
    [ "$1" -ne 0 ] || _told=${{_told:-succeeded}}
    echo "{me} ${{_told:-failed}}" >>{replicas}
}}
{look}watch() {{
    until look; do sleep 1 || return; done
    [ $decided = failed ] || {lasts} || return
    kill -USR1 1
}}
has_told() {{
    while read -r name said more; do
        [ "$name$more" != "$1" ] || return 0
    done <{replicas}
    return 1
}}
find_killed() {{
    for other in {others}; do
        [ -p {alive}/$other ] || return
        has_told $other || while read -r said; do :; done <{alive}/$other
        has_told $other || echo "$other failed" >>{replicas}
    done
}}
if [ -p {alive}/{me} ]; then exec 9<>{alive}/{me}; fi
if command -v sleep >/dev/null; then
    (watch & find_killed &)
else
    echo "pai_jupyter: this image has no sleep, so this replica ends because of the others only while the job is followed."
fi
"""

_LOOK = """\
look() {{
    {all_done}left={count}
    while read -r name said more; do
        case "$said$more" in
            failed | terminated) decided=failed; return ;;
            succeeded) case " {deciding} " in *" $name "*) left=$((left - 1)) ;; esac ;;
        esac
        [ "$left" -gt 0 ] || {{ decided=succeeded; return; }}
    done <{replicas}
    return 1
}}
"""

# Of a job of TaskRoles: failures and successes of each role are counted.
_COUNT = """\
look() {{
    left={count} {zeros}
    while read -r name said more; do
        case "$said$more" in
            failed | terminated | succeeded) left=$((left - 1)) ;;
            *) continue ;;
        esac
        case " $name " in
{counts}        esac
        {bounds}[ "$left" -gt 0 ] || {{ decided=succeeded; return; }}
    done <{replicas}
    return 1
}}
"""

_ALL_DONE = """\
[ ! -e {file} ] || {{ decided=succeeded; return; }}
    """

_RESTARTS = """\
_attempt=0
while [ "$_code" -ne 0 ] && [ $_attempt -lt {most} ] && [ ! -e {refused} ] && ! (look); do
    echo "{me} failed $_attempt $_code $(now)" >>{replicas}
    everybody KILL
    _attempt=$((_attempt + 1)) _why="exit code $_code"
    if [ "$_code" -gt 128 ] && _name=$(kill -l "$_code" 2>/dev/null); then _why=SIG$_name; fi
    [ -z "$(tail -c 1 {log} 2>/dev/null)" ] || echo
    echo "pai_jupyter: {me} failed ($_why); started again, $_attempt of {most} times"
    if command -v sleep >/dev/null; then
        limit
        (watch & find_killed &)
        run sleep $_attempt
    fi
    echo "{me} running $_attempt - $(now)" >>{replicas}
    run "$@"
done
"""


@dataclass(frozen=True, kw_only=True)
class PeerRules:
    """What one replica's script knows of its job; without `replica` it knows of nobody.

    Attributes:
        others: the other replicas, the next one in the ring first.
        deciding: the replicas that decide the job's success.
        lasts: seconds that this one may run on after that; None: as long as it likes.
        restarts: how often it is started again after a failure.
        completions: when each role decides, in place of `deciding`.
        all_done: the path of the file whose existence means success; "": there is none.
    """

    replica: str = ""
    others: Sequence[str] = ()
    deciding: Sequence[str] = ()
    lasts: float | None = 0.0
    restarts: int = 0
    all_done: str = ""
    completions: Sequence[RoleCompletion] = ()

    def functions(self) -> str:
        """Return the code that watches the others and tells them of this one's end."""
        if not self.replica:
            return "tell() { :; }\n"
        return _FUNCTIONS.format(
            me=self.replica,
            others=" ".join(self.others),
            look=self._look(),
            lasts="false" if self.lasts is None else f"sleep {self.lasts:g}" if self.lasts else "true",
            replicas=REPLICAS,
            alive=ALIVE,
        )

    def _look(self) -> str:
        if not self.completions:
            all_done = _ALL_DONE.format(file=self.all_done) if self.all_done else ""
            deciding, count = " ".join(self.deciding), len(self.deciding)
            return _LOOK.format(all_done=all_done, deciding=deciding, count=count, replicas=REPLICAS)
        roles = list(enumerate(self.completions))
        said = "[ $said = succeeded ] && good_{0}=$((good_{0} + 1)) || bad_{0}=$((bad_{0} + 1))"
        names = ["|".join(f'*" {name} "*' for name in each.replicas) for _, each in roles]
        bounds = [(f"bad_{i}", each.failures, "failed") for i, each in roles]
        bounds += [(f"good_{i}", each.successes, "succeeded") for i, each in roles]
        return _COUNT.format(
            count=sum(len(each.replicas) for _, each in roles),
            zeros=" ".join(f"good_{i}=0 bad_{i}=0" for i, _ in roles),
            counts="".join(f"            {names[i]}) {said.format(i)} ;;\n" for i, _ in roles),
            bounds="".join(
                f"[ ${name} -lt {bound} ] || {{ decided={end}; return; }}\n        "
                for name, bound, end in bounds
                if bound
            ),
            replicas=REPLICAS,
        )

    def restarting(self, log: str) -> str:
        """Return the code that runs the command again after a failure; `log` is the path of its log."""
        if not self.restarts:
            return ""
        refused = f"{self.all_done}.refused"  # `pai_shards` says there that another try would not help
        return _RESTARTS.format(me=self.replica, most=self.restarts, refused=refused, log=log, replicas=REPLICAS)


ALONE = PeerRules()


def rules(job: Deployment, replica: str) -> PeerRules:
    """Return what the script of a replica needs to know of the job."""
    if not job.is_coordinated:
        return ALONE
    place = job.replicas.index(replica)
    return PeerRules(
        replica=replica,
        others=job.replicas[place + 1 :] + job.replicas[:place],
        deciding=job.deciding,
        lasts=job.lasts[replica],
        restarts=job.restarts,
        all_done=ALL_DONE if job.has_shards else "",
        completions=job.completions,
    )


def make_files(job: Deployment) -> None:
    """Create what the scripts tell each other by, usable for any user; the job folder around it is private."""
    history, pipes = job.run / HISTORY, job.run / PIPES
    history.write_text("")
    history.chmod(0o666)
    remove_pipes(job)
    pipes.mkdir()
    pipes.chmod(0o755)
    with suppress(OSError):  # a disk that has no pipes: then only a follower notices that a container was killed
        for replica in job.replicas:
            os.mkfifo(pipes / replica)
            (pipes / replica).chmod(0o666)


def remove_pipes(job: Deployment) -> None:
    """Remove the pipes, which no job needs after its end."""
    shutil.rmtree(job.run / PIPES, ignore_errors=True)
