"""`%pai_images` and `%pai_instances`: images and instance types of PAI or the emulator."""

from argparse import Namespace
from typing import Any

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pai_jupyter.errors import SpecError
from pai_jupyter.jobs.pricing import price_of_type
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.table import Table
from pai_jupyter.money import rate

IMAGES, INSTANCES = "images", "instances"  # keys under which Tab completion remembers them
_SCOPES = ("training", "inference", "develop")


@magics_class
class CloudMagics(Magics):
    """`%pai_images` and `%pai_instances`."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument("framework", nargs="?", help="only those of this framework, e.g. PyTorch")
    @argument("--gpu", action="store_true", help="only those for GPUs")
    @argument("--cpu", action="store_true", help="only those for CPUs")
    @argument("--scope", default="training", choices=_SCOPES, help="purpose of the images (default: training)")
    @line_magic
    def pai_images(self, line: str) -> None:
        """List the official images, by framework, the newest first."""
        options = parse(self.pai_images, expand(line, self.shell.user_ns))
        if options.gpu and options.cpu:
            raise SpecError("--gpu and --cpu exclude each other. Leave both out to see all.", field="--gpu")
        display(images_table(options))

    @magic_arguments()
    @argument("--gpu", action="store_true", help="only those with GPUs")
    @argument("--min-cpu", type=int, default=0, metavar="N", help="minimum number of cores")
    @argument("--min-memory", type=float, default=0, metavar="GIB", help="minimum memory")
    @argument("--min-gpu", type=int, default=0, metavar="N", help="minimum number of GPUs")
    @argument("--available", action="store_true", help="only those that are not sold out")
    @line_magic
    def pai_instances(self, line: str) -> None:
        """List the instance types for jobs, the smallest first."""
        display(instances_table(parse(self.pai_instances, expand(line, self.shell.user_ns))))


def images_table(options: Namespace) -> Table:
    from pai_jupyter.cloud.images import list_images, short_names  # late: %load_ext must not load cloud libraries
    from pai_jupyter.cloud.known import remember
    from pai_jupyter.cloud.session import need_session

    session = need_session()
    accelerator = "GPU" if options.gpu else "CPU" if options.cpu else None
    images = list_images(options.framework, options.scope, accelerator_type=accelerator, session=session)
    if options.framework is None and accelerator is None and options.scope == "training":
        remember(IMAGES, session, (name for image in images for name in short_names(image)))
    rows = [
        [
            image.framework_name,
            image.framework_version or "-",
            image.accelerator_type or "-",
            image.python_version or "-",
            image.cuda or "-",
            image.image_uri,
        ]
        for image in images
    ]
    headers = ["framework", "version", "for", "Python", "CUDA", "image"]
    return Table(headers=headers, rows=rows, empty="no matching images. Type %pai_images to see all.")


def instances_table(options: Namespace) -> Table:
    from pai_jupyter.cloud.instances import list_instances  # late: %load_ext must not load cloud libraries
    from pai_jupyter.cloud.known import remember
    from pai_jupyter.cloud.session import need_session

    session = need_session()
    every = list_instances(session=session)
    remember(INSTANCES, session, (each.name for each in every))
    min_gpu = max(options.min_gpu, 1 if options.gpu else 0)
    prices = {each.name: price_of_type(each.name) for each in every}
    has_prices = any(prices.values())
    rows = [
        [
            each.name,
            str(each.cpu),
            f"{each.memory:g} GiB",
            f"{each.gpu} × {each.gpu_type} {each.gpu_memory:g} GiB" if each.gpu else "-",
            "yes" if each.is_available else "sold out",
            "yes" if each.has_spot else "-",
            *([rate(*price) if (price := prices[each.name]) else "-"] if has_prices else []),
        ]
        for each in every
        if each.cpu >= options.min_cpu
        and each.memory >= options.min_memory
        and each.gpu >= min_gpu
        and (each.is_available or not options.available)
    ]
    headers = ["instance type", "cores", "memory", "GPUs", "available", "spot"]
    headers += ["price per hour"] if has_prices else []
    return Table(headers=headers, rows=rows, empty="no matching instance types. Type %pai_instances to see all.")
