"""How many jobs of a run are there at a time, here and at services."""

from pathlib import Path

from pai_jupyter.runs.places import LOCAL, REMOTE, UNKNOWN, PlaceLimits
from tests.support.run_jobs import marked

HERE, THERE = marked(Path("/marks"), "here"), marked(Path("/marks"), "there")


def begun(places: PlaceLimits, name: str = "more") -> int:
    """How many further jobs at the service begin, until there is no room."""
    count = 0
    while places.has_room(THERE) and count < 100:
        count += 1
        places.begin(f"{name}-{count}", THERE)
    return count


def test_a_body_whose_place_is_not_known_yet_is_prepared_with_few_others() -> None:
    assert begun(PlaceLimits({})) == UNKNOWN


def test_a_place_has_its_own_limit_and_a_job_that_ends_gives_room() -> None:
    places = PlaceLimits({})
    places.begin("t", THERE)
    assert places.learn("t", THERE, is_remote=True)
    assert begun(places) == REMOTE - 1
    places.begin("h", HERE)
    assert places.learn("h", HERE, is_remote=False)
    assert places.has_room(HERE)
    places.end("t")
    assert begun(places, "again") == 1
    assert LOCAL > REMOTE


def test_a_prepared_job_whose_place_is_full_is_held_until_there_is_room() -> None:
    places = PlaceLimits({"remote": 1})
    for job_id in ("one", "two"):
        places.begin(job_id, THERE)
    assert places.learn("one", THERE, is_remote=True)
    assert not places.learn("two", THERE, is_remote=True)
    assert places.has_room(HERE)
    places.end("one")
    assert places.learn("two", THERE, is_remote=True)
    assert places.has("two")


def test_jobs_that_are_there_already_count() -> None:
    places = PlaceLimits({"local": 1})
    places.note("old", is_remote=False)
    places.begin("h", HERE)
    assert not places.learn("h", HERE, is_remote=False)


def test_a_larger_queue_of_this_machine_is_filled() -> None:
    places = PlaceLimits({}, queue=40)
    places.begin("first", HERE)
    assert places.learn("first", HERE, is_remote=False)
    for number in range(39):
        assert places.has_room(HERE)
        places.begin(f"h-{number}", HERE)
    assert not places.has_room(HERE)
