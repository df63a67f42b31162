"""Machines: read from the service's list, in whichever unit; %pai_instances."""

import re
from pathlib import Path

import pytest

from pai_jupyter.cloud.instances import InstanceType, _read, list_instances
from pai_jupyter.emulator.jobs.machines import MACHINES
from tests.support.cloud_sessions import configure, session_at
from tests.support.emulators import Emulator
from tests.support.shells import Shell


def test_machines_are_listed_the_smallest_first(running: Emulator) -> None:
    machines = list_instances(session=session_at(running))
    assert [machine.name for machine in machines[:3]] == ["ecs.c6.large", "ecs.c7.large", "ecs.g6.large"]
    assert [machine.gpu for machine in machines] == sorted(machine.gpu for machine in machines)
    assert len(machines) == len(MACHINES)  # more than the service gives in a page by itself


def test_machines_are_listed_by_accelerator(running: Emulator) -> None:
    machines = list_instances(accelerator_type="gpu", session=session_at(running))
    assert [machine.name for machine in machines if not machine.gpu] == []
    assert InstanceType(
        name="ecs.gn6i-c4g1.xlarge",
        cpu=4,
        memory=15,
        gpu=1,
        gpu_type="NVIDIA T4",
        gpu_memory=16,
        spot_stock="WithStock",
    ) in machines  # fmt: skip


@pytest.mark.parametrize(
    ("cpu", "memory", "gib"), [(2, 4, 4), (2, 4096, 4), (1, 1024, 1), (104, 3072, 3072), (64, 262144, 256), (0, 0, 0)]
)
def test_memory_is_in_gib_whichever_unit_the_service_writes(cpu: int, memory: int, gib: float) -> None:
    assert _read({"InstanceType": "x", "Cpu": cpu, "Memory": memory}).memory == gib


def test_a_machine_of_which_little_is_said_is_read() -> None:
    machine = _read({"InstanceType": "x", "GpuType": None, "IsAvailable": None})
    assert (machine.is_available, machine.has_spot, machine.gpu_type) == (True, False, "")


@pytest.mark.parametrize(
    ("word", "has_spot"), [("WithStock", True), ("Available", True), ("NoStock", False), ("", False)]
)
def test_spot_is_there_unless_the_service_says_no(word: str, has_spot: bool) -> None:
    assert InstanceType(name="x", cpu=1, memory=1, spot_stock=word).has_spot is has_spot


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (
            "--min-cpu 64 --min-memory 700",
            {"ecs.gn6e-c12g1.24xlarge", "ecs.gn7-c13g1.26xlarge", "ecs.gn7e-c16g1.32xlarge"}
            | {"ecs.gn7i-c32g1.32xlarge", "ecs.gn8is-8x.32xlarge"},
        ),
        (
            "--gpu --available --min-cpu 32",
            {"ecs.gn6i-c24g1.12xlarge", "ecs.gn6v-c8g1.8xlarge", "ecs.gn7i-c32g1.8xlarge"},
        ),
        ("--min-gpu 8 --min-cpu 120", {"ecs.gn7e-c16g1.32xlarge", "ecs.gn8is-8x.32xlarge"}),
        ("--min-cpu 500", set()),
    ],
)
def test_the_magic_lists_what_is_large_enough(
    running: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch, line: str, names: set[str]
) -> None:
    configure(running, home, monkeypatch)
    with Shell() as shell:
        shown = shell.run(f"%pai_instances {line}").text
        assert {word for word in shown.split() if word.startswith("ecs.")} == names
        assert "ecs.c6.large" in shell.complete("%%pai_train --instance-type ecs.c6.l")


def test_the_magic_says_what_a_machine_has(running: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(running, home, monkeypatch)
    with Shell() as shell:
        lines = shell.run("%pai_instances --min-gpu 8 --min-memory 256").text.splitlines()
    lines = [line for line in lines if "V100 16 GiB" in line]
    assert re.split(r"\s{2,}", lines[-1]) == [
        *("ecs.gn6v-c8g1.16xlarge", "64", "256 GiB", "8 × NVIDIA V100 16 GiB", "sold out", "-"),
    ]
