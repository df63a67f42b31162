"""Shell lines that take away the variables which a local job has and a job on PAI has not, unless the request gives them."""

import shlex
from collections.abc import Iterator, Mapping

from pai_jupyter.contract import OUR_TOPOLOGY_VARIABLES


def only_given(variables: Mapping[str, object]) -> Iterator[str]:
    """Yield a line for each of LOCAL_RANK and LOCAL_WORLD_SIZE: its value in the request's `variables`, else unset."""
    for name in OUR_TOPOLOGY_VARIABLES:
        yield f"export {name}={shlex.quote(str(variables[name]))}" if name in variables else f"unset {name}"
