"""What the engine, the SDK and the system raise, and the sentence that the user gets for it."""

import http.client
import inspect
from contextlib import suppress

import docker.errors
import pytest
import requests.exceptions
import urllib3.exceptions

from pai_jupyter.backends.docker.faults import engine_errors
from pai_jupyter.errors import (
    AuthError,
    BackendError,
    LimitExceededError,
    NotFoundError,
    ProtocolError,
    SpecError,
    UnavailableError,
)


def translated(exc: BaseException) -> BackendError:
    with pytest.raises(BackendError) as caught, engine_errors("starting image 'x'"):
        raise exc
    assert caught.value.__cause__ is exc
    return caught.value


def refusal(text: str, status: int = 500) -> docker.errors.APIError:
    response = requests.Response()
    response.status_code = status
    return docker.errors.APIError("refused", response=response, explanation=text)


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("write /var/lib/docker/x: no space left on device", LimitExceededError, "disk is full"),
        ('could not select device driver "" with capabilities: [[gpu]]', BackendError, "no GPU to give"),
        ("nvidia-container-cli: initialization error: nvml error: driver not loaded", BackendError, "no GPU to give"),
        ('invalid mount config for type "bind": bind source path does not exist: /a b', BackendError, "see /a b:"),
        ("Mounts denied: The path /x is not shared from the host", BackendError, "Share it in Docker Desktop"),
        ('OCI runtime create failed: exec: "sh": executable file not found in $PATH', BackendError, "no `sh`"),
        ("standard_init_linux.go:228: exec user process caused: exec format error", BackendError, "another processor"),
        ("invalid reference format: repository name must be lowercase", NotFoundError, "name is invalid"),
        ("pull access denied for x, repository does not exist", BackendError, "docker login"),
        ("manifest for python:9 not found: manifest unknown: manifest unknown", NotFoundError, "no such image"),
        (
            "Get https://registry.example/v2/: dial tcp: lookup registry.example: no such host",
            BackendError,
            "network",
        ),
        ("Get https://registry.example/v2/: net/http: TLS handshake timeout", BackendError, "network"),
        ("Range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available", LimitExceededError, "docker.cpus"),
        ("Minimum memory limit allowed is 6MB", LimitExceededError, "docker.memory"),
    ],
)
def test_the_engines_words_become_a_sentence_with_a_remedy(text: str, kind: type[BackendError], words: str) -> None:
    error = translated(refusal(text))
    assert type(error) is kind
    assert words in str(error)


def test_words_that_nobody_knows_are_passed_on() -> None:
    assert "the moon is full" in str(translated(refusal("the moon is full")))


@pytest.mark.parametrize(
    ("exc", "kind"),
    [
        (PermissionError(13, "Permission denied"), AuthError),
        (FileNotFoundError(2, "No such file"), UnavailableError),
        (ConnectionRefusedError(111, "refused"), UnavailableError),
        (TimeoutError("timed out"), UnavailableError),
        (http.client.RemoteDisconnected("closed"), UnavailableError),
        (http.client.BadStatusLine("SSH-2.0"), UnavailableError),
        (requests.exceptions.ConnectionError("aborted"), UnavailableError),
        (requests.exceptions.ReadTimeout("slow"), UnavailableError),
        (requests.exceptions.JSONDecodeError("bad", "<html>", 0), ProtocolError),
        (urllib3.exceptions.ProtocolError("broken"), UnavailableError),
        (docker.errors.InvalidVersion("too old"), ProtocolError),
        (ModuleNotFoundError("no docker", name="docker"), BackendError),
    ],
)
def test_every_way_of_not_reaching_the_engine_has_its_class(exc: Exception, kind: type[BackendError]) -> None:
    assert type(translated(exc)) is kind


SDK_ERRORS = [item for _, item in inspect.getmembers(docker.errors, inspect.isclass) if issubclass(item, Exception)]


def an_instance(kind: type[Exception]) -> Exception:
    """Their constructors take from one to five words."""
    for count in range(1, 6):
        with suppress(TypeError):
            return kind(*["said the SDK"] * count)
    raise AssertionError(f"how is {kind} made?")


@pytest.mark.parametrize("kind", SDK_ERRORS, ids=lambda kind: kind.__name__)
def test_no_exception_of_the_sdk_escapes(kind: type[Exception]) -> None:
    assert "Docker engine" in str(translated(an_instance(kind)))


def test_errors_of_ours_pass_unchanged() -> None:
    error = SpecError("wrong")
    with pytest.raises(SpecError) as caught, engine_errors("starting"):
        raise error
    assert caught.value is error


def test_a_bug_of_ours_is_no_fault_of_the_engine() -> None:
    with pytest.raises(ZeroDivisionError), engine_errors("starting"):
        _ = 1 / 0
