"""How replicas stand, from pods and end marks."""

from typing import Any

import pytest

from pai_jupyter.backends.pai.following.replica_events import replica_events
from pai_jupyter.backends.pai.services.dlc_service import translated
from pai_jupyter.backends.pai.services.status_map import objects
from pai_jupyter.events import ReplicaChanged, Status

RUNNING, FAILED, STOPPED, SUCCEEDED = Status.RUNNING, Status.FAILED, Status.STOPPED, Status.SUCCEEDED


def pods(
    job: str, *statuses: str, codes: dict[int, int] | None = None, **more: Any
) -> list[ReplicaChanged]:  # Any: JSON
    fields = translated(
        {
            "Status": job,
            "Pods": [
                {"PodId": f"d-worker-{at}", "Type": "Worker", "Status": word, **more}
                for at, word in enumerate(statuses)
            ],
        }
    )
    instances = {f"worker-{at}": each for at, each in enumerate(objects(fields, "Instances"))}
    return [*replica_events(fields, instances, {f"worker-{at}": code for at, code in (codes or {}).items()}, now=9.0)]


@pytest.mark.parametrize(
    ("job", "statuses", "codes", "found"),
    [
        ("Queuing", ["Pending", "Pending"], {}, []),
        ("Running", ["Running", "Pending"], {}, [("worker-0", RUNNING, None)]),
        ("Running", ["Running", "Failed"], {}, [("worker-0", RUNNING, None)]),
        ("Running", ["Running", "Failed"], {1: 3}, [("worker-0", RUNNING, None), ("worker-1", FAILED, 3)]),
        ("Failed", ["Failed", "Failed"], {1: 3}, [("worker-0", STOPPED, None), ("worker-1", FAILED, 3)]),
        ("Failed", ["Failed", "Failed"], {0: 137, 1: 3}, [("worker-0", STOPPED, 137), ("worker-1", FAILED, 3)]),
        ("Failed", ["Failed", "Running"], {0: 137}, [("worker-0", FAILED, 137), ("worker-1", STOPPED, None)]),
        ("Failed", ["Failed", "Failed"], {0: 143, 1: 137}, [("worker-0", STOPPED, 143), ("worker-1", FAILED, 137)]),
        ("Failed", ["Failed", "Failed"], {0: 143}, [("worker-0", FAILED, 143), ("worker-1", FAILED, None)]),
        ("Running", ["Failed", "Running"], {0: 143}, [("worker-1", RUNNING, None)]),
        ("Stopped", ["Failed", "Failed"], {0: 143}, [("worker-0", STOPPED, 143), ("worker-1", STOPPED, None)]),
        ("Succeeded", ["Succeeded", "Running"], {0: 0}, [("worker-0", SUCCEEDED, 0), ("worker-1", SUCCEEDED, None)]),
        (
            "Succeeded",
            ["Succeeded", "Failed"],
            {0: 0, 1: 143},
            [("worker-0", SUCCEEDED, 0), ("worker-1", STOPPED, 143)],
        ),
        ("Succeeded", ["Succeeded", "Failed"], {0: 0}, [("worker-0", SUCCEEDED, 0), ("worker-1", STOPPED, None)]),
        ("Succeeded", ["Succeeded", "Failed"], {0: 0, 1: 3}, [("worker-0", SUCCEEDED, 0), ("worker-1", FAILED, 3)]),
        ("Running", ["Succeeded", "Failed"], {0: 0, 1: 143}, [("worker-0", SUCCEEDED, 0)]),
        ("Running", ["Running", "Failed"], {1: 137}, [("worker-0", RUNNING, None), ("worker-1", FAILED, 137)]),
        ("Failed", ["Evicted", "Failed"], {}, [("worker-0", STOPPED, None), ("worker-1", FAILED, None)]),
        ("tomorrow", ["Running", "Running"], {}, []),
        ("Running", ["Running"], {}, []),
    ],
)
def test_pods_and_marks_together_say_how_replicas_stand(
    job: str, statuses: list[str], codes: dict[int, int], found: list[tuple[str, Status, int | None]]
) -> None:
    events = pods(job, *statuses, codes=codes)
    assert [(each.replica, each.status, each.exit_code) for each in events] == found


def test_times_and_restarts_are_those_of_the_service() -> None:
    times: dict[str, Any] = {"GmtStartTime": "1970-01-01T00:00:02Z", "GmtFinishTime": "1970-01-01T00:00:05Z"}
    assert [each.time for each in pods("Running", "Running", "Running", **times)] == [2.0, 2.0]
    failed = pods("Failed", "Failed", "Failed", **times, HistoryPods=[{}, {}])
    assert [(each.time, each.attempt) for each in failed] == [(5.0, 2), (5.0, 2)]
    assert [each.time for each in pods("Running", "Running", "Running", GmtStartTime="soon", HistoryPods=None)] == [
        9.0,
        9.0,
    ]
