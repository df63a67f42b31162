"""Images and instance types are offered as one types, with what they have; a service is asked once, and only then."""

import asyncio
from dataclasses import replace

from pai_jupyter.cloud.instances import InstanceType
from pai_jupyter.errors import SpecError
from pai_jupyter.form import translator
from pai_jupyter.form.machines import OfferedField, Offers
from pai_jupyter.wire.protocol.offers import details_in_chinese, instance_details
from tests.support.forms import make, shown

SMALL = "2 CPU · 4 GiB · in stock"
INSTANCES = {"ecs.c6.large": SMALL, "ecs.gn6.large": "8 CPU · 32 GiB · 1 × V100 16 GiB"}


def field(asked: list[str], known: tuple[str, ...] = ("local",)) -> OfferedField:
    def ask() -> dict[str, str]:
        asked.append("instances")
        return INSTANCES

    return OfferedField("--x", "Instance type", "", str, known=known, ask=ask)


def test_service_is_asked_once_at_the_first_letter() -> None:
    asked: list[str] = []
    it = field(asked)
    assert (asked, it.box.options) == ([], ("local",))
    for typed in ("e", "ec"):
        it.box.set_state({"value": typed})
    assert asked == ["instances"]
    assert it.box.options == ("local", *INSTANCES)


def test_what_a_name_means_stands_beside_the_field() -> None:
    it = field([])
    it.box.set_state({"value": "gn6"})
    assert "ecs.gn6.large: 8 CPU · 32 GiB · 1 × V100 16 GiB" in shown()
    it.box.set_state({"value": "ecs.c6.large"})
    assert SMALL in shown()
    assert "V100" not in shown()


def test_nothing_is_told_of_a_name_that_is_gone() -> None:
    it = field([])
    it.box.set_state({"value": "ecs.c6.large"})
    it.box.set_state({"value": ""})
    assert SMALL not in shown()


def test_instance_types_of_roles_are_offered_too_and_the_service_is_asked_once() -> None:
    asked: list[str] = []

    def ask() -> dict[str, str]:
        asked.append("instances")
        return INSTANCES

    form = make(job_type="PyTorchJob", offers=Offers(images=dict, instances=ask))
    machines = [row.role.machine for row in form.place.roles.rows if hasattr(row, "role")]
    for machine in machines:
        machine.set_state({"value": "ecs.c6.large"})
    assert [machine.options[-2:] for machine in machines] == [tuple(INSTANCES)] * 2
    assert shown().count(SMALL) == 2
    assert asked == ["instances"]


def test_form_goes_on_while_the_service_is_asked() -> None:
    async def type_a_letter() -> tuple[object, object]:
        it = field([])
        it.box.set_state({"value": "e"})
        before, told = it.box.options, asyncio.Event()
        it.box.observe(lambda _: told.set(), names="options")
        await told.wait()
        return before, it.box.options

    assert asyncio.run(type_a_letter()) == (("local",), ("local", *INSTANCES))


def test_why_nothing_can_be_offered_is_said_and_no_error() -> None:
    def refuse() -> dict[str, str]:
        raise SpecError("no region is set. Type %pai_config wizard.")

    form = make(offers=Offers(images=refuse, instances=dict))
    form.place.image.set_state({"value": "x"})
    assert "Type %pai_config wizard." in shown()
    assert form.read().image_uri == "x"


def test_stock_is_said_only_where_the_service_tells_it() -> None:
    bare = InstanceType(name="x", cpu=2, memory=4)
    assert instance_details(bare) == "2 CPU · 4 GiB"
    assert instance_details(replace(bare, tells_stock=True)) == SMALL
    gone = replace(bare, tells_stock=True, is_available=False, spot_stock="WithStock")
    assert instance_details(gone, "¥6.20/h") == "2 CPU · 4 GiB · out of stock · preemptible ones, too · ¥6.20/h"
    assert details_in_chinese(SMALL) == translator("zh")(SMALL) == "2 CPU · 4 GiB · 有货"
