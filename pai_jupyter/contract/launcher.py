"""What runs around the user's command on PAI: a few lines of sh that add what the service does not give of the contract.

Of the training service it needs little:

    PAI_OUTPUT_LOGS, PYTHONUNBUFFERED       the variables that it does not know
    PAI_HPS, PAI_USER_ARGS                  values in their own types and as the script takes them (flags): it has texts only
    /ml/code, /ml/output/logs               the links
    "$@"                                    the words behind $PAI_USER_ARGS, unchanged (see `command`)
    /ml/output/beside_channels/             at the end, what lies beside the channels is copied into this channel of ours, which
                                            is mounted where all outputs of the job go; the rest of /ml/output is the machine's
    the end mark                            the exit code, which the service does not tell, as the last line of the log, and
                                            some names of what could not be copied

DLC gives a job variables, data sources where it wants them, and no more: there the tree is laid out, code unpacked and
requirements installed, too.

The mark also says that the log is complete: the services' logs lag behind their status by seconds, and nothing else in
them tells whether there is more to come. It holds the job's id, and whoever follows the job takes it out of the log. Behind
a line that had no end it is the end of that line.

Rule 1: nothing more. The service's own variables are used where they are set, and none of them is replaced.
Rule 2: a TERM goes to the command, and the shell outlives it for the mark. The command runs in the background, for only
    so is a TERM heard while it runs; `env --default-signal`, where there is one, undoes what else that means for it.
"""

import re
import shlex
from string import Template

from pai_jupyter.contract.command import Command, command
from pai_jupyter.contract.paths import BESIDE, PATHS, output_channels
from pai_jupyter.contract.topology import Replica
from pai_jupyter.contract.training_job import files
from pai_jupyter.contract.values import as_json, check_passable, texts, user_args
from pai_jupyter.spec import JobSpec, env_name

END_MARK = re.compile(
    r"pai_jupyter: job (?P<job>[\w.-]+) ended with exit code (?P<code>\d{1,3})(?:; left behind: (?P<left>.+))?\Z"
)
_MARK = "pai_jupyter: job {job} ended with exit code {code}"

_SERVICE = Template(
    r"""ml=$${PAI_WORKING_DIR:-/ml/usercode/}; ml=$${ml%/}; ml=$${ml%/*}
export PAI_OUTPUT_LOGS="$${PAI_OUTPUT_TENSORBOARD:-$$ml/output/tensorboard/}" PYTHONUNBUFFERED="$${PYTHONUNBUFFERED-1}"
${unset}${values}"""
)

# The shell is done with the command: its own words and variables are free now. `lost` has a name a line.
_SAVING = Template(
    r"""ml=$${PAI_WORKING_DIR:-/ml/usercode/}; ml=$${ml%/}; ml=$${ml%/*}; from="$$ml/output/"; lost=; left=; count=0; eol='
'
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
_MOST_NAMES = 5  # of what was left behind
_NO_COPY = "save() { false; }"
# Once more where that failed: two replicas may make the same directory at the same moment. A bucket holds files, under names
# in UTF-8: a link to a file of the outputs is saved as that file, and what else is odd is named.
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

# Replicas may share a tree, and a restarted one finds it as it was: whoever comes first unpacks the code.
_DLC = Template(
    r"""ml=/ml
leave() { printf '%s%s\n' ${mark} "$$1"; exit "$$1"; }
mkdir -p "$$ml/usercode" "$$ml/input/config" "$$ml/input/data" ${outputs} || leave 1
if mkdir "$$ml/.code" 2>/dev/null; then
    ${files}
    ${unpack} && : >"$$ml/.code/done" || : >"$$ml/.code/failed"
fi
until [ -e "$$ml/.code/done" ]; do [ ! -e "$$ml/.code/failed" ] || leave 1; sleep 1; done
cd "$$ml/usercode" || leave 1
if [ -f requirements.txt ]; then python -m pip install -r requirements.txt || leave 1; fi
"""
)

_COMMAND = Template(
    r"""[ -e "$$ml/code" ] || ln -s usercode "$$ml/code" 2>/dev/null
[ -e "$$ml/output/logs" ] || ln -s tensorboard "$$ml/output/logs" 2>/dev/null
unset ml
set -- ${command}
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


def launcher(spec: JobSpec, *, job_id: str) -> str:
    """Build the `sh -c` text that the training service runs as the job's command.

    Raises:
        SpecError: it is longer than what a program can be given.
    """
    values = f"export PAI_HPS={shlex.quote(as_json(spec))} PAI_USER_ARGS={shlex.quote(' '.join(user_args(spec)))}\n"
    unset = "" if BESIDE in spec.outputs else f"unset PAI_OUTPUT_{env_name(BESIDE)}\n"
    before = _SERVICE.substitute(values=values if texts(spec) else "", unset=unset)
    return _checked(before + _command(command(spec), job_id, saving=_saving(spec)))


def dlc_launcher(spec: JobSpec, replica: Replica, *, job_id: str, code: str | None) -> str:
    """Build the `sh -c` text of a DLC replica; `code`: where a tar.gz or directory is mounted, if any.

    Raises:
        SpecError: as `launcher`.
    """
    before = _DLC.substitute(
        outputs=shlex.join(map(PATHS.output, output_channels(spec))),
        files="\n    ".join(
            f"printf %s {shlex.quote(content.decode())} >{shlex.quote(f'/ml/{name}')}"
            for name, content in files(spec).items()
        ),
        unpack=_unpacking(code),
        mark=_mark(job_id),
    )
    return _checked(before + _command(command(spec, replica), job_id))


def _unpacking(code: str | None) -> str:
    if code is None:
        return "true"
    place = shlex.quote(code)
    return f'cp -R {place}. "$ml/usercode/"' if code.endswith("/") else f'tar -xzf {place} -C "$ml/usercode"'


def _command(wanted: Command, job_id: str, *, saving: str = "") -> str:
    return _COMMAND.substitute(command=shlex.join(wanted.argv), mark=_mark(job_id), saving=saving)


def _saving(spec: JobSpec) -> str:
    """Build the shell code that saves files beside the channels; if `BESIDE` is taken, it lists them."""
    channels = "|".join(dict.fromkeys((*output_channels(spec), BESIDE)))
    save = _NO_COPY if BESIDE in spec.outputs else _COPY.format(beside=BESIDE)
    return _SAVING.substitute(channels=channels, save=save, most=_MOST_NAMES)


def _mark(job_id: str) -> str:
    return shlex.quote(end_mark(job_id, ""))


def _checked(text: str) -> str:
    check_passable(text, what="`command`, with the hyperparameters written into it,", field="command")
    return text


def end_mark(job_id: str, code: int | str) -> str:
    """Return the last line of a job's log, which holds the exit code, without its newline."""
    return _MARK.format(job=job_id, code=code)
