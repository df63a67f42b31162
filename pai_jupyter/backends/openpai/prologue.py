"""The shell code around a cell's command in a task: it gives the task what the training contract promises. Pure.

The code travels in it, since a cluster without HDFS has no place for it but its own storages: as a tar.gz in base64, of at most
60 kB for all roles. Larger code goes through the HDFS of a cluster that has one (`PackedCode`). Outputs lie below /ml/output in the
task; with a storage of the cluster (`openpai.storage`) each channel is a link to a folder of the job there, and on a cluster with
HDFS they are copied there at the end (`epilogue`).

Rule 1: tasks that share a tree (at the emulator they do) unpack the code once.
Rule 2: variables of OpenPAI are never replaced, but for the names that both have (`contract.task_roles.SHARED`).
"""

import base64
import shlex
from dataclasses import dataclass
from string import Template

from pai_jupyter import contract
from pai_jupyter.backends.openpai.epilogue import OutputsPlace, running
from pai_jupyter.backends.openpai.job_file import ONE_LOG
from pai_jupyter.contract.compat import compat_exports
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec

MOST_CODE = 60_000  # bytes; servers take bodies of 100 kB
MOUNT = "/mnt/pai_jupyter"  # where the storage of `openpai.storage` is mounted

_PROLOGUE = Template(
    r"""ml=/ml
${one_log}
mkdir -p $$ml/usercode $$ml/input/config $$ml/input/data $$ml/output || exit 1
${storage}mkdir -p ${outputs} || exit 1
if mkdir $$ml/.code 2>/dev/null; then
    { ${files}
    ${code} | tar -xz -C $$ml/usercode; } && : >$$ml/.code/done || : >$$ml/.code/failed
fi
until [ -e $$ml/.code/done ]; do [ ! -e $$ml/.code/failed ] || exit 1; sleep 1; done
[ -e $$ml/code ] || ln -sn usercode $$ml/code 2>/dev/null
[ -e $$ml/output/logs ] || ln -sn tensorboard $$ml/output/logs 2>/dev/null
unset ml
${variables}
cd /ml/usercode || exit 1
${requirements}${compat}${command}"""
)
_STORAGE = Template(
    r"""for each in ${channels}; do
    mkdir -p ${place}/$$each || exit 1
    [ -L $$ml/output/$$each ] || { rmdir $$ml/output/$$each 2>/dev/null; ln -sn ${place}/$$each $$ml/output/$$each; }
done
unset each
"""
)


_FETCH = r"""
import shutil, sys, urllib.parse, urllib.request as web
base, user, path = sys.argv[1:]
query = urllib.parse.urlencode({"op": "OPEN", "user.name": user})
opened = web.build_opener(web.ProxyHandler({}))
try:
    with opened.open(base + urllib.parse.quote(path) + "?" + query, timeout=120) as answer:
        shutil.copyfileobj(answer, sys.stdout.buffer)
except (OSError, ValueError) as error:
    sys.exit("the code cannot be fetched from HDFS: %s" % error)
"""


@dataclass(frozen=True, kw_only=True)
class PackedCode:
    """The packed code in HDFS: `base` of WebHDFS, the user who reads, and the file. The image's Python fetches it."""

    base: str
    user: str
    path: str


def most_code(spec: JobSpec) -> int:
    """Return how many bytes of packed code can travel in the job: each role has a copy."""
    return MOST_CODE // len({replica.role for replica in contract.replicas(spec)})


def prologue(
    spec: JobSpec,
    replica: contract.Replica,
    code: bytes | PackedCode,
    *,
    job_id: str,
    outputs: OutputsPlace | None = None,
) -> str:
    """Build the text that a task's shell runs; `outputs`: where they are copied.

    Raises:
        SpecError: the code is larger than what can travel so, or a value cannot be passed.
    """
    if isinstance(code, bytes) and len(code) > (most := most_code(spec)):
        raise SpecError(
            f"the code is packed {len(code)} bytes; on a cluster without HDFS it may have {most}. Leave files out by "
            ".paiignore, or bake the code into an image.",
            field="source_dir",
        )
    variables = contract.environment(spec, replica, by_service=True)
    exported = {name: value for name, value in variables.items() if name not in contract.TOPOLOGY_VARIABLES}
    given = shlex.join(spec.requirements)
    return _PROLOGUE.substitute(
        one_log=ONE_LOG,
        storage=_STORAGE.substitute(
            place=shlex.quote(f"{MOUNT}/{job_id}"), channels=shlex.join(contract.output_channels(spec))
        )
        if has_storage(spec)
        else "",
        outputs=shlex.join(f"/ml/output/{channel}" for channel in contract.output_channels(spec)),
        files="\n    ".join(
            f"printf %s {shlex.quote(content.decode())} >{shlex.quote(f'/ml/{name}')} &&"
            for name, content in contract.files(spec).items()
        ),
        code=_reading(code),
        variables="\n".join(f"export {name}={shlex.quote(value)}" for name, value in exported.items()),
        requirements="if [ -f requirements.txt ]; then python -m pip install -r requirements.txt || exit 1; fi\n"
        + (f"python -m pip install {given} || exit 1\n" if given else ""),
        compat=compat_exports(spec),
        command=running(shlex.join(contract.command(spec, replica).argv), outputs),
    )


def _reading(code: bytes | PackedCode) -> str:
    """Return the command that writes the packed code to its output."""
    if isinstance(code, bytes):
        return f"printf %s {base64.b64encode(code).decode()} | base64 -d"
    python = '"$(command -v python3 || command -v python)"'
    return f"{python} {shlex.join(['-c', _FETCH, code.base, code.user, code.path])}"


def has_storage(spec: JobSpec) -> bool:
    return bool(spec.backend_options.get("openpai", {}).get("storage"))
