"""The shell code behind a cell's command in a task of a cluster with HDFS: it copies /ml/output there.

The copying is done by the image's Python, 3.6 or newer, without packages, through WebHDFS as this machine reaches it. Tasks of one job
write into one directory.

Rule 1: a file is sent under a hidden name and renamed when it is there; the name of the content is never in a data node's address.
Rule 2: what a failed command has written is copied, too. A job whose outputs cannot be copied fails, and its log says why.
"""

import shlex
from dataclasses import dataclass
from string import Template

ROOT = "/Output"  # as clusters have it: PAI_OUTPUT_DIR of a job that names no directory is ROOT/USER/JOB

_COPY = r"""
import os, sys, urllib.error, urllib.parse, urllib.request as web
base, user, place = sys.argv[1:]
class Stays(web.HTTPRedirectHandler):
    def redirect_request(self, *given):
        return None
opened = web.build_opener(web.ProxyHandler({}), Stays)
def ask(method, path, op, data=None, **more):
    query = urllib.parse.urlencode({"op": op, "user.name": user, **more}, quote_via=urllib.parse.quote)
    address = base + urllib.parse.quote(os.fsencode(path)) + "?" + query
    try:
        return opened.open(web.Request(address, method=method), timeout=120).read()
    except urllib.error.HTTPError as error:
        if error.code != 307:
            raise OSError(error.read(300).decode(errors="replace"))
        size = str(os.fstat(data.fileno()).st_size)
        headers = {"Content-Length": size, "Content-Type": "application/octet-stream"}
        opened.open(web.Request(error.headers["Location"], data, headers, method="PUT"), timeout=600).read()
count = 0
try:
    for folder, _, names in os.walk("/ml/output"):
        there = (place + folder[len("/ml/output"):]).rstrip("/")
        ask("PUT", there, "MKDIRS")
        for name in names:
            if not os.path.isfile(os.path.join(folder, name)) or os.path.islink(os.path.join(folder, name)):
                continue
            count += 1
            draft = "%s/.%s.%d.part" % (place, os.environ.get("PAI_CONTAINER_ID", "task"), count)
            with open(os.path.join(folder, name), "rb") as file:
                ask("PUT", draft, "CREATE", file, overwrite="true")
            ask("PUT", draft, "RENAME", destination=there + "/" + name, renameoptions="OVERWRITE")
except (OSError, ValueError) as error:
    sys.exit("/ml/output cannot be copied to HDFS: %s" % error)
"""
_EPILOGUE = Template(
    r"""${command}
ended=$$?
cd / || exit 1
python="$$(command -v python3 || command -v python)" || { echo "/ml/output cannot be copied: the image has no Python"; exit 1; }
"$$python" ${words} || [ "$$ended" -ne 0 ] || exit 1
exit $$ended"""
)


@dataclass(frozen=True, kw_only=True)
class OutputsPlace:
    """Where outputs go: `base` of WebHDFS, the user who writes, and the directory."""

    base: str
    user: str
    directory: str


def running(command: str, outputs: OutputsPlace | None) -> str:
    """Return the text that runs the command and copies its outputs; without a place it only runs."""
    if outputs is None:
        return f"exec {command}"
    words = shlex.join(["-c", _COPY, outputs.base, outputs.user, outputs.directory])
    return _EPILOGUE.substitute(command=command, words=words)
