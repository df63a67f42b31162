"""What the job of a magic's line would cost: the sentence beside Submit, in the form and in the panel."""

from argparse import Namespace
from dataclasses import replace

from pai_jupyter.backends import LOCAL_TYPES
from pai_jupyter.config import Settings, settings
from pai_jupyter.jobs import place_for, type_of_roles
from pai_jupyter.jobs.pricing import cost_line, has_prices, priced
from pai_jupyter.spec import JobSpec
from pai_jupyter.training.line import VARIABLE, parse_line
from pai_jupyter.training.options import TrainOptions

# Of a line, what names data and code: it may not be there, and changes no price.
_NOT_ASKED = (
    *("input", "output", "param", "params", "send", "returns", "metric", "source_dir", "include", "env"),
    *("requirements", "variable", "mount_map"),
)


def foreseen_cost(options: TrainOptions, of: Settings | None = None) -> str:
    """Say what the job costs at most; "" for a job of this machine without a price. Asks no service.

    Raises:
        SpecError: it cannot be submitted so.
    """
    of = of or settings()
    instance_type = options.instance_type or type_of_roles(options.roles) or of.get("instance_type")
    is_here = instance_type in (None, *LOCAL_TYPES) and options.backend is None and not options.options
    if is_here and options.max_cost is None and not has_prices(of):
        return ""  # choosing a backend may ask the engine
    place = place_for(
        backend=options.backend,
        instance_type=instance_type,
        image_uri=options.image_uri or of.get("image"),
        options=options.options,
        settings=of,
    )
    spec = JobSpec(
        name="cost",
        command="true",
        instance_type=options.instance_type or of.get("instance_type") or "local",
        instance_count=sum(role.instance_count for role in options.roles) or options.instance_count or 1,
        job_type=options.job_type,
        roles=options.roles,
        max_run_time=options.max_run_time,
        max_cost=options.max_cost,
        options=options.options,
    )
    spec, price, notes = priced(spec, place)
    told = "\n".join(note.partition(" is ")[2] for note in notes)  # it stands behind the word Cost
    return cost_line(spec, place, price) or told


def cost_of_line(line: str) -> str:
    """Say what the job of the text after `%%pai_train` costs at most; "" where variables of the kernel are on it.

    Raises:
        SpecError: the line is invalid, or the job cannot be submitted so.
    """
    if any(not line[: found.start()].endswith("$") for found in VARIABLE.finditer(line)):
        return ""
    given = parse_line(line)
    asked = Namespace(**{**vars(given), **dict.fromkeys(_NOT_ASKED)})
    return foreseen_cost(replace(TrainOptions.read(asked), name=None))
