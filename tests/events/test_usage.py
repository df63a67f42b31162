"""What samples of resources add up to: rates, totals, limits."""

from pai_jupyter.events import Status, StatusChanged, Usage
from pai_jupyter.events.usage import UsageSum

BEGIN = StatusChanged(status=Status.RUNNING, time=100.0)


def summed(*usages: Usage) -> tuple[UsageSum, list[dict[str, float]]]:
    whole = UsageSum()
    dict(whole.take(BEGIN))
    return whole, [dict(whole.take(usage)) for usage in usages]


def test_counters_become_rates_since_the_sample_before() -> None:
    whole, values = summed(
        Usage(replica="a", time=102.0, written=100, sent=10), Usage(replica="a", time=104.0, written=300, sent=10)
    )
    assert values == [{"disk_written": 50.0, "net_sent": 5.0}, {"disk_written": 100.0, "net_sent": 0.0}]
    assert whole.totals() == {"written": 300, "sent": 10}


def test_rates_that_a_service_tells_add_up_over_the_seconds_in_which_they_held() -> None:
    whole, values = summed(
        Usage(replica="a", time=110.0, receive_rate=5.0, cpu=2.0),
        Usage(replica="a", time=120.0, receive_rate=1.0, cpu=0.5),
    )
    assert [each["net_received"] for each in values] == [5.0, 1.0]
    assert whole.totals() == {"received": 60, "cpu_hours": 25 / 3600}


def test_what_is_told_at_the_end_counts_for_the_total_and_makes_no_peak() -> None:
    whole, values = summed(
        Usage(replica="a", time=110.0, cpu=1.0, memory=7, written=50),
        Usage(replica="a", time=110.1, cpu_time=12.0, peak_memory=9, written=80),
    )
    assert values[1] == {}
    assert whole.totals() == {"cpu_hours": 12 / 3600, "written": 80, "peak_memory": 9}


def test_less_at_the_end_than_before_is_no_new_beginning() -> None:
    whole, _ = summed(
        Usage(replica="a", time=110.0, memory=7, written=50), Usage(replica="a", time=120.0, peak_memory=9, written=30)
    )
    assert whole.totals()["written"] == 50


def test_a_counter_that_begins_anew_adds_to_what_was_before() -> None:
    whole, values = summed(*(Usage(replica="a", time=100.0 + at, read=read) for at, read in ((2, 20), (4, 4), (6, 8))))
    assert values == [{"disk_read": 10.0}, {}, {"disk_read": 2.0}]
    assert whole.totals() == {"read": 28}


def test_replicas_add_up_but_for_their_peaks_and_have_limits_of_their_own() -> None:
    whole, _ = summed(
        Usage(replica="a", time=110.0, gpu=0.5, memory=7, cores=2.0, memory_limit=16),
        Usage(replica="b", time=110.0, gpu=1.0, memory=3, gpu_memory=1, gpu_memory_limit=8),
    )
    assert whole.totals() == {"peak_memory": 7}  # both may have the same GPUs
    assert whole.limits == {("a", "cpu"): 2.0, ("a", "memory"): 16.0, ("b", "gpu_memory"): 8.0}


def test_what_an_older_version_recorded_is_read() -> None:
    whole, values = summed(
        Usage(replica="a", time=110.0, cpu=1.0, memory=7), Usage(replica="a", time=110.5, cpu_time=3.0)
    )
    assert values == [{"cpu": 1.0, "memory": 7.0}, {}]
    assert whole.totals() == {"cpu_hours": 3 / 3600, "peak_memory": 7}
