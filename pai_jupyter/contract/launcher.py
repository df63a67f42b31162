"""Build the sh code around the user's command on PAI: it adds what the service lacks of the training contract.

On the training service it adds little:

    PAI_OUTPUT_LOGS, PYTHONUNBUFFERED       variables that the service does not set
    SM_*, AZUREML_*, AIP_*                  with `--compat`: variables of other services (`compat`)
    PAI_HPS, PAI_USER_ARGS                  values with their types and as flags; the service has texts only
    /ml/code, /ml/output/logs               the links
    "$@"                                    the words of $PAI_USER_ARGS, unchanged (see `command`)
    /ml/output/workdir/                     at the end, what the command left in its working directory (`workdir`)
    /ml/output/beside_channels/             at the end, files beside the channels are copied into this extra channel, which
                                            is mounted at the place of all outputs; the rest of /ml/output is lost
    PAI_SHARDS_DONE                         an ElasticBatchJob: by it `pai_shards` says whether this worker has left shards, which fails it
    the end mark                            the last line of the log: the exit code, which the service does not report, and
                                            names of files that were saved or could not be

DLC only sets variables and mounts data sources. There the launcher also creates the tree, unpacks the code and installs the
requirements.

The mark also says that the log is complete: the services' logs lag behind the status by seconds, and nothing else tells whether
more will come. It holds the job's id, and the follower removes it from the log. After an unfinished line, the mark stands at
the end of that line.

Rule 1: nothing more is added. Variables that the service sets are used and never replaced.
Rule 2: TERM is passed to the command, and the shell outlives it to write the mark. The command runs in the background, since
    only then can the shell handle TERM; `env --default-signal`, if available, restores the signals that sh ignores in
    background commands.
"""

import re
import shlex
from string import Template

from pai_jupyter.contract import workdir
from pai_jupyter.contract.command import Command, command
from pai_jupyter.contract.compat import compat_exports
from pai_jupyter.contract.paths import BESIDE, PATHS, output_channels
from pai_jupyter.contract.topology import SHARDS_DONE, Replica
from pai_jupyter.contract.training_job import files
from pai_jupyter.contract.values import as_json, check_passable, texts
from pai_jupyter.contract.words import user_args
from pai_jupyter.contract.workdir import WORKDIR
from pai_jupyter.spec import JobSpec, env_name

END_MARK = re.compile(
    r"pai_jupyter: job (?P<job>[\w.-]+) ended with exit code (?P<code>\d{1,3})(?:; in workdir: (?P<number>\d{1,9}) (?P<saved>.+?))?"
    r"(?:; not in workdir: (?P<unsaved>.+?))?(?:; left behind: (?P<left>.+))?\Z"
)
_MARK = "pai_jupyter: job {job} ended with exit code {code}"

_SERVICE = Template(
    r"""ml=$${PAI_WORKING_DIR:-/ml/usercode/}; ml=$${ml%/}; ml=$${ml%/*}
export PAI_OUTPUT_LOGS="$${PAI_OUTPUT_TENSORBOARD:-$$ml/output/tensorboard/}" PYTHONUNBUFFERED="$${PYTHONUNBUFFERED-1}"
${unset}${values}${compat}"""
)

# The command has ended, so its arguments and variables are free. `lost` holds one name per line.
_SAVING = Template(
    r"""ml=$${PAI_WORKING_DIR:-/ml/usercode/}; ml=$${ml%/}; ml=$${ml%/*}; from="$$ml/output/"; lost=; left=; count=0; eol='
'
${workdir}
${save}
for each in "$$from"* "$$from".[!.]* "$$from"..?*; do
    case "$${each##*/}" in ${channels}) continue ;; logs) [ ! -L "$$each" ] || continue ;; esac
    [ -e "$$each" ] || [ -L "$$each" ] || continue
    if save "$$each"; then lost="$$lost$$(odd "$$each" 2>/dev/null)$$eol"; continue; fi
    [ ! -d "$$each" ] || [ -n "$$(ls -A "$$each")" ] || continue
    lost="$$lost$$(printf %s "$${each##*/}" | tr '\n\r' '  ')$$eol"
done
IFS=$$eol; set -f
for each in $$lost; do
    count=$$((count + 1)); [ "$$count" -gt ${most} ] || left="$$left$${left:+, }$$each"
done
[ "$$count" -le ${most} ] || left="$$left and $$((count - ${most})) more"
unset IFS
if [ -n "$$left" ]; then code="$$code; left behind: $$left"; fi
"""
)
_MOST_NAMES = 5  # names of files that were not saved
_NO_COPY = "save() { false; }"
# A failed copy is tried again: two replicas may create the same directory at once. A bucket only holds files with UTF-8 names:
# a link to an output file is saved as that file, anything else is reported by name.
_COPY = r"""to="${{from}}{beside}/"
save() {{ [ -d "$to" ] && {{ cp -R "$1" "$to" 2>/dev/null || cp -R "$1" "$to"; }}; }}
far=$(printf '*[\200-\377]*')
odd() {{
    find "$1" ! -type f ! -type d -exec sh -c "$look" sh "$from" "$to" {{}} +
    ! command -v iconv >/dev/null || LC_ALL=C find "$1" -name "$far" | is_text ||
        LC_ALL=C find "$1" \( -type f -o -type d \) -name "$far" -exec sh -c "$look" sh "$from" "$to" {{}} +
}}
is_text='is_text() {{ iconv -f UTF-8 -t UTF-8 >/dev/null; }}'; eval "$is_text"
look="$is_text"'
from=$1 to=$2; shift 2
for each; do
    name=${{each#"$from"}}
    if command -v iconv >/dev/null && ! printf %s "$name" | is_text; then
        printf %s "$name" | LC_ALL=C tr -c " -~" "[?*]"; echo; continue
    fi
    [ ! -L "$to$name" ] || rm -f "$to$name"
    if [ -L "$each" ]; then
        case "$(readlink -f "$each")" in
            "$(readlink -f "$from")"/*) [ ! -f "$each" ] || ! cp -L "$each" "$to$name" || continue ;;
        esac
    elif [ -f "$each" ] || [ -d "$each" ]; then continue
    fi
    printf %s "$name" | tr "\n\r" "  "; echo
done'"""

# A restarted replica finds its old tree, and at the emulator all share one: the first to start unpacks the code, and each other one
# into a working directory of its own.
_DLC = Template(
    r"""ml=/ml
${who}leave() { printf '%s%s\n' ${mark} "$$1"; exit "$$1"; }
mkdir -p "$$ml/usercode" "$$ml/input/config" "$$ml/input/data" ${outputs} || leave 1
if mkdir "$$ml/.code" 2>/dev/null; then
    printf %s "$$pai_jupyter_who" >"$$ml/.code/owner"
    ${files}
    at="$$ml/usercode"; ${unpack} && : >"$$ml/.code/done" || : >"$$ml/.code/failed"
fi
until [ -e "$$ml/.code/done" ]; do [ ! -e "$$ml/.code/failed" ] || leave 1; sleep 1; done
at="$$ml/usercode"
if [ "$$(cat "$$ml/.code/owner")" != "$$pai_jupyter_who" ]; then
    own="$$at.$${pai_jupyter_who:-first}" at="$$at.$${pai_jupyter_who:-first}.part"
    [ -e "$$own" ] || { rm -rf "$$at"; mkdir "$$at" && ${unpack} && mv "$$at" "$$own"; } || leave 1
    at="$$own"
    export PAI_WORKING_DIR="$$at/"
fi
cd "$$at" || leave 1
unset at own
if [ -f requirements.txt ]; then python -m pip install -r requirements.txt || leave 1; fi
${compat}"""
)

# `-n`: another replica of the same tree may create the link meanwhile, and `ln` would follow it.
_COMMAND = Template(
    r"""[ -e "$$ml/code" ] || ln -sn usercode "$$ml/code" 2>/dev/null
[ -e "$$ml/output/logs" ] || ln -sn tensorboard "$$ml/output/logs" 2>/dev/null
unset ml
${noting}set -- ${command}
if env --default-signal true >/dev/null 2>&1; then set -- env --default-signal "$$@"; fi
"$$@" &
child=$$!
trap 'kill -TERM "$$child" 2>/dev/null' TERM
wait "$$child" 2>/dev/null; code=$$?
while kill -0 "$$child" 2>/dev/null; do wait "$$child" 2>/dev/null; code=$$?; done
${saving}printf '%s%s\n' ${mark} "$$code"
exit "$${code%%;*}"
"""
)


# A worker that leaves `pai_shards` early may end well, but nobody else does its part (`backends.process.supervisor.shards`).
_SHARDS = f"""if pai_jupyter_shards=$(mktemp -d 2>/dev/null); then export {SHARDS_DONE}="$pai_jupyter_shards/done"; fi
"""
_SHARDS_LEFT = f"""if [ -n "$pai_jupyter_shards" ]; then
    if [ "$code" = 0 ] && [ -e "${SHARDS_DONE}.left" ] && [ ! -e "${SHARDS_DONE}" ]; then
        echo "pai_jupyter: this worker has left shards that nobody else does, so it has failed"; code=1
    fi
    rm -rf "$pai_jupyter_shards"
fi
"""


def launcher(spec: JobSpec, *, job_id: str) -> str:
    """Build the `sh -c` text that the training service runs as the job's command.

    Raises:
        SpecError: the text is too long for a program argument.
    """
    values = f"export PAI_HPS={shlex.quote(as_json(spec))} PAI_USER_ARGS={shlex.quote(' '.join(user_args(spec)))}\n"
    ours = [f"PAI_OUTPUT_{env_name(name)}" for name in (BESIDE, WORKDIR) if name not in spec.outputs]
    unset = f"unset {' '.join(ours)}\n" if ours else ""
    before = _SERVICE.substitute(values=values if texts(spec) else "", unset=unset, compat=compat_exports(spec))
    return _checked(before + _command(command(spec), job_id, saving=_saving(spec)))


def dlc_launcher(spec: JobSpec, replica: Replica, *, job_id: str, code: str | None) -> str:
    """Build the `sh -c` text of a DLC replica; `code`: where a tar.gz or directory is mounted, if any.

    Raises:
        SpecError: as `launcher`.
    """
    before = _DLC.substitute(
        outputs=shlex.join(map(PATHS.output, (*output_channels(spec), WORKDIR))),
        files="\n    ".join(
            f"printf %s {shlex.quote(content.decode())} >{shlex.quote(f'/ml/{name}')}"
            for name, content in files(spec).items()
        ),
        unpack=_unpacking(code),
        who=workdir.WHO,
        mark=_mark(job_id),
        compat=compat_exports(spec),
    )
    is_elastic = spec.effective_job_type == "ElasticBatchJob"
    saving = f"{_SHARDS_LEFT if is_elastic else ''}ml=/ml\n{workdir.saving()}"
    return _checked(before + (_SHARDS if is_elastic else "") + _command(command(spec, replica), job_id, saving=saving))


def _unpacking(code: str | None) -> str:
    if code is None:
        return "true"
    place = shlex.quote(code)
    return f'cp -R {place}. "$at/"' if code.endswith("/") else f'tar -xzf {place} -C "$at"'


def _command(wanted: Command, job_id: str, *, saving: str = "") -> str:
    words, mark = shlex.join(wanted.argv), _mark(job_id)
    return _COMMAND.substitute(command=words, mark=mark, saving=saving, noting=workdir.NOTING)


def _saving(spec: JobSpec) -> str:
    """Build the shell code that saves files beside the channels; if `BESIDE` is taken, it lists them."""
    channels = "|".join(dict.fromkeys((*output_channels(spec), BESIDE, WORKDIR)))
    save = _NO_COPY if BESIDE in spec.outputs else _COPY.format(beside=BESIDE)
    return _SAVING.substitute(channels=channels, save=save, most=_MOST_NAMES, workdir=workdir.saving())


def _mark(job_id: str) -> str:
    return shlex.quote(end_mark(job_id, ""))


def _checked(text: str) -> str:
    check_passable(text, what="`command`, with the hyperparameters written into it,", field="command")
    return text


def end_mark(job_id: str, code: int | str) -> str:
    """Return the last line of a job's log, which holds the exit code, without its newline."""
    return _MARK.format(job=job_id, code=code)
