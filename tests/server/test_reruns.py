"""The form of a rerun over REST: what the job ran with, and the job that the form's line makes of it."""

import json

import pytest

from pai_jupyter.jobs import Job
from tests.server.test_cells import submitted
from tests.support.server import Reply, Server
from tests.support.started import until

CELL = """%%pai_train iris --backend process --env MODE=fast {line}
import os
lr: float = 0.1  # hp: [1e-5..1] log
epochs = 3  # hp: [1..10]
DEPTH = 2
print("lr", lr, "epochs", epochs, "depth", DEPTH, os.environ["MODE"], "PAI_INPUT_MORE" in os.environ)
"""


def again(server: Server, job: Job, line: str) -> Reply:
    return server.ask(f"jobs/{job.id}/rerun", method="POST", body=json.dumps({"line": line}).encode())


def started(server: Server, reply: Reply) -> Job:
    assert reply.status == 202, reply.body
    job = Job(server.store.open(reply.json()["job"]))
    until(lambda: job.status.is_terminal)
    return job


def log(job: Job) -> str:
    return "\n".join(line.text for line in job.tail(20))


@pytest.fixture(scope="module")
def first(server: Server) -> Job:
    job = submitted(server, CELL.format(line="-p lr=0.5 -p DEPTH=7 -i train=."))
    until(lambda: job.status.is_terminal)
    return job


def test_form_has_what_the_job_ran_with_and_the_defaults_of_the_cell(server: Server, first: Job) -> None:
    told = server.ask(f"jobs/{first.id}/form").json()
    rows = {row["name"]: row for row in told["hyperparameters"]}
    assert (rows["lr"]["default"], rows["DEPTH"]["default"], rows["epochs"]["default"]) == (0.1, 2, 3)
    place = "--backend process --instance-type local"
    train = f"-i train={first.spec.inputs['train']}"
    assert told["line"] == f"%%pai_train iris --env MODE=fast {place} {train} -p lr=0.5 -p DEPTH=7"


def test_line_of_the_form_as_it_is_runs_the_job_as_it_was(server: Server, first: Job) -> None:
    line = server.ask(f"jobs/{first.id}/form").json()["line"]
    job = started(server, again(server, first, line))
    assert job.hyperparameters == first.hyperparameters
    assert job.spec.inputs == first.spec.inputs
    assert log(job) == log(first)
    assert job.place == f"process (as job {first.id})"


def test_changed_line_changes_values_inputs_and_name_and_nothing_else(server: Server, first: Job) -> None:
    line = f"%%pai_train other --backend process -p epochs=9 -i more={server.folder}"
    job = started(server, again(server, first, line))
    assert (job.name, dict(job.hyperparameters)) == ("other", {"lr": 0.1, "epochs": 9, "DEPTH": 2})
    assert "lr 0.1 epochs 9 depth 2 fast True" in log(job)
    rerun = started(server, server.ask(f"jobs/{job.id}/rerun", method="POST"))
    assert (rerun.hyperparameters, rerun.spec.inputs) == (job.hyperparameters, job.spec.inputs)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("%%pai_train --backend process -p lr=7", "`lr` is '7'; it must be a number between 1e-05 and 1."),
        ("%%pai_train --backend process -p nowhere=7", "`nowhere` is not declared by the script"),
        ("%%pai_train 'open", "a quote is not closed"),
        ("%%pai_train --backend nowhere", "nowhere"),
        ("%%pai_train --backend process -i train=./gone", "gone"),
    ],
)
def test_line_that_cannot_be_is_refused_with_its_sentence(server: Server, first: Job, line: str, sentence: str) -> None:
    before = server.store.ids()
    reply = again(server, first, line)
    assert reply.status in (404, 409), reply.body
    assert sentence in reply.json()["message"]
    assert server.store.ids() == before


def test_secret_value_is_not_in_the_form_and_stays(server: Server) -> None:
    cell = "%%pai_train --backend process -p my_token=t0psecret99\nmy_token: str = ''\nprint(len(my_token))\n"
    job = submitted(server, cell)
    told = server.ask(f"jobs/{job.id}/form")
    assert b"t0psecret99" not in told.body
    assert started(server, again(server, job, told.json()["line"])).hyperparameters["my_token"] == "t0psecret99"
