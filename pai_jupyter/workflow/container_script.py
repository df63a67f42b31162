"""The sh code before the command of a component: /pai, links where one expects its inputs, further outputs. Needs only coreutils."""

import shlex
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from pai_jupyter.spec import env_name
from pai_jupyter.workflow.step_outputs import PAI

_OUTPUTS = f"""mkdir -p /pai /ml/output/{PAI}/parameters /ml/output/{PAI}/artifacts &&
{{ [ "$(readlink /pai/outputs)" = /ml/output/{PAI} ] || ln -s /ml/output/{PAI} /pai/outputs; }} || exit 1
"""


def setup_script(links: Mapping[str, str], *, has_outputs: bool) -> str:
    """Return the code that makes /pai/outputs, and a link at each path to where the input is."""
    made = "".join(
        f"mkdir -p {shlex.quote(str(PurePosixPath(path).parent))} && "
        f"ln -sfn {shlex.quote(to.rstrip('/'))} {shlex.quote(path)} || exit 1\n"
        for path, to in links.items()
    )
    return (_OUTPUTS if has_outputs else "") + made


def further_outputs(names: Iterable[str]) -> str:
    """Return the code that makes the outputs which not every job has, beside those that it has."""
    return "".join(
        f'export PAI_OUTPUT_{env_name(name)}="${{PAI_OUTPUT_MODEL%model/}}"{shlex.quote(name)}/; '
        f'mkdir -p "$PAI_OUTPUT_{env_name(name)}"\n'
        for name in names
    )
