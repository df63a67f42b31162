"""The reserved channel `workdir`: what a script leaves in its working directory, without what was packed and without caches.

On this machine the files stay where they are. On PAI the working directory is lost with the job, so the launcher notes before the
command what is there, and after it copies what is new or changed to `/ml/output/workdir/`, an output channel of ours.

Rule 1: at most `LIMIT` bytes are copied; what is left out is named in the end mark. A link to a file in the directory is not
    copied, since the file itself is.
Rule 2: of several replicas, the first one's files are in the channel itself, those of others below `rank-N`, or below
    `<role>-<index>` in jobs without ranks: TFJob, ElasticBatchJob.
"""

import shlex
from string import Template

WORKDIR = "workdir"
OUR_CHANNELS = frozenset({WORKDIR, "returned"})
"""Names that no job may give to a channel of its own, besides `spec.RESERVED_CHANNELS`."""

LIMIT = 1 << 30  # bytes
CACHES = (
    *(
        ".git",
        ".hg",
        ".svn",
        "__pycache__",
        ".cache",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
    ),
    *(".hypothesis", ".tox", ".nox", ".eggs", "node_modules", ".venv", ".triton", ".nv", ".keras", ".numba_cache"),
)
"""Directories in a working directory that are no results."""
_COMPILED = (".pyc", ".pyo")
_MOST_NAMES = 5  # names of files in the end mark

WHO = r"""pai_jupyter_who=
case "${RANK:-}" in
    0 | *[!0-9]*) ;;
    ?*) pai_jupyter_who=rank-$RANK ;;
    *)
        pai_jupyter_who=$(printf %s "${TF_CONFIG:-${ELASTICBATCH_CONFIG:-}}" | tr -d ' \n"' |
            sed -n 's/.*task:{index:\([0-9]*\),type:\([A-Za-z]*\)}.*/\2-\1/p; s/.*task:{type:\([A-Za-z]*\),index:\([0-9]*\)}.*/\1-\2/p')
        case "$pai_jupyter_who:${TF_CONFIG:-}" in
            chief-0:* | master-0:*) pai_jupyter_who= ;;
            worker-0:*'"chief"'* | worker-0:*'"master"'*) ;;
            worker-0:*) pai_jupyter_who= ;;
        esac
        ;;
esac
"""
"""Shell code that sets `$pai_jupyter_who`: "" for the first replica of a job, else `rank-1` or `worker-1`."""

NOTING = rf"""{WHO}pai_jupyter_at=$(pwd) pai_jupyter_was=
if [ "$pai_jupyter_at" != / ] && pai_jupyter_was=$(mktemp 2>/dev/null); then
    LC_ALL=C find . ! -type d 2>/dev/null | LC_ALL=C sort >"$pai_jupyter_was"
fi
"""
"""Shell code before the command; its variables have names that no command uses."""

# One name a line: a name with a line break becomes lines that name no file, and is reported.
_SAVING = Template(
    r"""to="$$ml/output/${workdir}"; saved=; number=0; unsaved=; missed=0; total=0; eol='
'
to="$$to$${pai_jupyter_who:+/$$pai_jupyter_who}"
miss() { missed=$$((missed + 1)); [ "$$missed" -gt ${most} ] || unsaved="$$unsaved$${unsaved:+, }$$(plain "$$1")"; }
plain() { printf %s "$$1" | LC_ALL=C tr '\n\r;' '   ' | { [ -z "$$odd" ] && cat || LC_ALL=C tr -c ' -~' '[?*]'; }; }
keep() {
    [ -f "$$1" ] && [ -r "$$1" ] || return 1
    [ -z "$$odd" ] || printf %s "$$1" | iconv -f UTF-8 -t UTF-8 >/dev/null 2>&1 || return 1
    size=$$(wc -c <"$$1") && [ $$((total + size)) -le ${limit} ] || return 1
    mkdir -p "$$to/$${1%/*}" && cp "$$1" "$$to/$$1" || return 1
    total=$$((total + size))
}
if [ -n "$$pai_jupyter_was" ] && [ -d "$$ml/output/${workdir}" ] && cd "$$pai_jupyter_at" 2>/dev/null; then
    LC_ALL=C find . \( ${caches} \) -prune -o ! -type d ${compiled} -print 2>/dev/null |
        LC_ALL=C sort | LC_ALL=C comm -13 "$$pai_jupyter_was" - >"$$pai_jupyter_was.new"
    LC_ALL=C find . \( ${caches} \) -prune -o -type f -newer "$$pai_jupyter_was" ${compiled} -print 2>/dev/null |
        LC_ALL=C sort - "$$pai_jupyter_was.new" | uniq >"$$pai_jupyter_was.all"
    odd=; ! command -v iconv >/dev/null || iconv -f UTF-8 -t UTF-8 "$$pai_jupyter_was.all" >/dev/null 2>&1 || odd=1
    while IFS= read -r each; do
        case "$$each" in ./*) ;; *) miss "$$each"; continue ;; esac
        if [ -L "$$each" ]; then
            case "$$(readlink -f "$$each")" in "$$(pwd -P)"/*) ;; *) miss "$${each#./}" ;; esac
        elif keep "$$each" 2>/dev/null; then
            number=$$((number + 1)); name="$${pai_jupyter_who:+$$pai_jupyter_who/}$${each#./}"
            [ "$$number" -gt ${most} ] || saved="$$saved$${saved:+, }$$(plain "$$name")"
        else
            miss "$${each#./}"
        fi
    done <"$$pai_jupyter_was.all"
    rm -f "$$pai_jupyter_was" "$$pai_jupyter_was.new" "$$pai_jupyter_was.all"
fi
[ "$$number" -eq 0 ] || code="$$code; in ${workdir}: $$number $$saved"
[ "$$missed" -le ${most} ] || unsaved="$$unsaved and $$((missed - ${most})) more"
[ "$$missed" -eq 0 ] || code="$$code; not in ${workdir}: $$unsaved"
"""
)


def is_cache(name: str) -> bool:
    """Return whether a file or directory of this name, without its path, is no result of a job."""
    return name in CACHES or name.endswith(_COMPILED)


def saving() -> str:
    """Build the shell code after the command; `$ml` is the tree, and `$code` the exit code, to which names are added."""
    return _SAVING.substitute(
        workdir=WORKDIR,
        most=_MOST_NAMES,
        limit=LIMIT,
        caches=" -o ".join(f"-name {shlex.quote(name)}" for name in CACHES),
        compiled=" ".join(f"! -name {shlex.quote(f'*{end}')}" for end in _COMPILED),
    )
