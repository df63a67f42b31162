"""tests/openapi.json and the handlers say the same: neither can be changed alone."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema_rs
import pytest
from tornado.web import RequestHandler

from pai_jupyter.config.marker import Marker
from pai_jupyter.server.answers import PARAMETERS, _truth, _whole
from pai_jupyter.server.http import NoSuchAddress
from pai_jupyter.server.rest import ApiRoute
from pai_jupyter.server.routes import ROOT, routes
from tests.support.described import DESCRIBED, DESCRIPTION, METHODS, resolved

MARKER = Marker(pid=1, api=1, version="0", base_url="/", home="/", has_proxy=False)
# Rows of `PARAMETERS` by address, where neither the address nor what its handler is made with says which.
KINDS = {"/jobs": "jobs", "/jobs/{job}": "job", "/jobs/{job}/adopt": "adopt", "/submit": "submit", "/schema": "schema"}


@dataclass(frozen=True, kw_only=True)
class Served:
    """One method of one address, as the handlers have it. What takes a body that no `ApiRoute` names is None."""

    address: str
    method: str
    kind: str
    needs: tuple[str, ...] = ()
    has_body: bool | None = None


def served() -> Iterator[Served]:
    for pattern, handler, given in routes(MARKER):
        if handler is NoSuchAddress:
            continue
        for address, parts in addresses(pattern.removeprefix(re.escape(f"/{ROOT}")).removesuffix("$")):
            for method in methods(handler):
                deeds: Mapping[str, ApiRoute] | None = given.get("deeds")
                if deeds is None:
                    kind = given.get("kind") or parts or KINDS.get(address, "")
                    yield Served(address=address, method=method, kind=kind)
                elif method in deeds:
                    deed = deeds[method]
                    yield Served(
                        address=address, method=method, kind=deed.kind, needs=deed.needs, has_body=deed.has_body
                    )


def addresses(pattern: str) -> Iterator[tuple[str, str]]:
    """The addresses that a pattern of ours fits, as OpenAPI writes them, each with its kind where that is a part of it."""
    kinds = re.search(r"\(\?P<kind>([\w|]+)\)", pattern)
    if kinds:
        for kind in kinds[1].split("|"):
            yield from ((address, kind) for address, _ in addresses(pattern.replace(kinds[0], kind)))
    else:
        yield "/" + re.sub(r"\(\?P<(\w+)>[^)]*\)", r"{\1}", pattern), ""


def methods(handler: type[RequestHandler]) -> list[str]:
    return [name for name in METHODS if getattr(handler, name) is not getattr(RequestHandler, name)]


def parameters(address: str, method: str, where: str) -> dict[str, Any]:  # Any: JSON values
    item = DESCRIBED["paths"][address]
    every = [resolved(each) for each in (*item.get("parameters", ()), *item[method].get("parameters", ()))]
    return {each["name"]: each for each in every if each["in"] == where}


SERVED = [each for each in served() if each.address != "/socket"]
each_served = pytest.mark.parametrize("one", SERVED, ids=lambda one: f"{one.method} {one.address}")


def test_the_same_methods_of_the_same_addresses() -> None:
    described = {(path, method) for path, item in DESCRIBED["paths"].items() for method in METHODS if method in item}
    assert {(each.address, each.method) for each in served()} == described


def test_every_row_of_parameters_is_of_an_address() -> None:
    assert {each.kind for each in SERVED if each.address != "/"} == set(PARAMETERS)


@each_served
def test_the_same_parts_of_the_address(one: Served) -> None:
    parts = parameters(one.address, one.method, "path")
    assert set(parts) == set(re.findall(r"{(\w+)}", one.address))
    assert all(part["required"] for part in parts.values())


@each_served
def test_the_same_parameters_of_the_same_kinds(one: Served) -> None:
    described = parameters(one.address, one.method, "query")
    kinds = {_whole: "integer", _truth: "truth", str: "string"}
    known = {name: kinds[read] for name, read in PARAMETERS.get(one.kind, {}).items()}
    assert {name: kind_of(resolved(each["schema"])) for name, each in described.items()} == known


@each_served
def test_the_parameters_of_a_query_are_those_that_are_declared_of_its_kind(one: Served) -> None:
    """`make generate` fills them in by `x-query`: what a handler takes the request for must be the same."""
    described = DESCRIBED["paths"][one.address][one.method].get("x-query")
    assert described == (one.kind if PARAMETERS.get(one.kind) else None)


def kind_of(schema: Mapping[str, Any]) -> str:  # Any: JSON values
    if schema.get("enum") == resolved({"$ref": "#/components/schemas/Truth"})["enum"]:
        return "truth"
    return "string" if "enum" in schema else str(schema["type"])


@each_served
def test_what_must_be_given_is_the_same(one: Served) -> None:
    described = parameters(one.address, one.method, "query")
    if one.has_body is not None:
        assert set(one.needs) == {name for name, each in described.items() if each.get("required")}
        assert ("requestBody" in DESCRIBED["paths"][one.address][one.method]) == one.has_body


@each_served
def test_every_answer_is_one_of_ours(one: Served) -> None:
    """A success, and beside it refusals that are all told as {type, message, hint}."""
    answers = DESCRIBED["paths"][one.address][one.method]["responses"]
    good = [status for status in answers if status.startswith("2")]
    assert len(good) == 1
    assert "403" in answers
    for status in set(answers) - set(good):
        assert resolved(answers[status])["content"]["application/json"]["schema"]["$ref"].endswith("/WireError")


def test_every_schema_is_one_and_is_used() -> None:
    text = DESCRIPTION.read_text()
    for kind, items in DESCRIBED["components"].items():
        for name, item in items.items():
            assert kind == "securitySchemes" or f'"#/components/{kind}/{name}"' in text, name
            if kind == "schemas":
                jsonschema_rs.meta.validate(item)
