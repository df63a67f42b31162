"""Our signatures against those of the official clients, as they were captured on the wire."""

import json
from dataclasses import replace
from typing import Any

import httpx
import pytest

from pai_jupyter.cloud.client import Credential, SignatureAuth
from pai_jupyter.cloud.client.auth import Clock
from pai_jupyter.cloud.client.signatures import (
    SignableRequest,
    acs3,
    acs3_canonical_request,
    parse_authorization,
    roa,
    rpc,
    sign,
    signed_names,
)
from tests.support.paths import DATA

VECTORS: list[dict[str, Any]] = json.loads((DATA / "pai_signatures.json").read_text())
OF = {name: [vector for vector in VECTORS if vector["algorithm"] == name] for name in {v["algorithm"] for v in VECTORS}}


def message(vector: dict[str, Any]) -> SignableRequest:
    body = vector["body"].encode()
    return SignableRequest(
        method=vector["method"], path=vector["path"], query=vector["query"], headers=vector["headers"], body=body
    )


def named(vector: dict[str, Any]) -> str:
    return str(vector["name"])


def test_every_algorithm_has_vectors() -> None:
    assert {name: len(vectors) for name, vectors in OF.items()} == {
        "acs3": 12,
        "roa-hmac-sha1": 26,
        "rpc-hmac-sha1": 1,
    }


@pytest.mark.parametrize("vector", OF["acs3"], ids=named)
def test_acs3_is_the_official_clients(vector: dict[str, Any]) -> None:
    given = parse_authorization(vector["expected"])
    assert given is not None
    assert acs3_canonical_request(message(vector), given.signed_headers) == vector["canonical_request"]
    signature = acs3(message(vector), given.signed_headers, vector["secret"])
    assert signature.string_to_sign == vector["string_to_sign"]
    assert signature.matches(given.signature)


@pytest.mark.parametrize("vector", OF["acs3"], ids=named)
def test_sign_writes_the_official_clients_header_when_given_only_what_we_sign(vector: dict[str, Any]) -> None:
    headers = {name: vector["headers"][name] for name in signed_names(vector["headers"])}
    ours = replace(message(vector), headers=headers)
    header = sign(ours, access_key_id=vector["access_key_id"], secret=vector["secret"])
    given = parse_authorization(header)
    assert given is not None
    assert given.access_key_id == vector["access_key_id"]
    assert set(given.signed_headers) == set(headers)
    assert acs3(message(vector), given.signed_headers, vector["secret"]).matches(given.signature)


@pytest.mark.parametrize("vector", OF["roa-hmac-sha1"], ids=named)
def test_roa_is_the_official_clients(vector: dict[str, Any]) -> None:
    signature = roa(message(vector), vector["secret"])
    assert signature.string_to_sign == vector["string_to_sign"]
    given = parse_authorization(vector["expected"])
    assert given is not None
    assert given.access_key_id == vector["access_key_id"]
    assert signature.matches(given.signature)


@pytest.mark.parametrize("vector", OF["rpc-hmac-sha1"], ids=named)
def test_rpc_is_the_official_clients(vector: dict[str, Any]) -> None:
    signature = rpc(message(vector), vector["secret"])
    assert signature.string_to_sign == vector["string_to_sign"]
    assert signature.matches(vector["expected"])
    signed = replace(message(vector), query={**vector["query"], "Signature": vector["expected"]})
    assert rpc(signed, vector["secret"]) == signature


@pytest.mark.parametrize(
    "change",
    [
        {"method": "PUT"},
        {"path": "/api/v1/trainingjobs/a%20b/%E4%B8%AD~c"},
        {"query": {"Force": "True"}},
        {"body": b"{}"},
        {"headers": {"host": "elsewhere"}},
    ],
    ids=str,
)
def test_a_tampered_request_does_not_match(change: dict[str, Any]) -> None:
    vector = next(vector for vector in OF["acs3"] if vector["name"] == "gen_get_training_job_weird_id")
    given = parse_authorization(vector["expected"])
    assert given is not None
    tampered = replace(message(vector), **change)
    assert not acs3(tampered, given.signed_headers, vector["secret"]).matches(given.signature)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "acs",
        "acs key",
        "acs :c2ln",
        "Basic a2V5OnNpZw==",
        "Bearer token",
        "ACS3-HMAC-SHA256 Credential=key,Signature=00",
        "ACS3-HMAC-SHA256 Credential=,SignedHeaders=host,Signature=00",
        "ACS3-HMAC-SHA256 Credential=key,SignedHeaders=host,Signature=训练",
        "ACS3-HMAC-SHA256 Credential=key\n,SignedHeaders=host,Signature=00",
        "a" * 1_000_000,
    ],
    ids=lambda text: text[:40],
)
def test_what_is_no_authorization_is_none(header: str) -> None:
    assert parse_authorization(header) is None


def test_blanks_after_commas_are_understood() -> None:
    given = parse_authorization("ACS3-HMAC-SHA256 Credential=key, SignedHeaders=host;x-acs-date, Signature=0a")
    assert given is not None
    assert given.signed_headers == ("host", "x-acs-date")


def test_a_signature_of_odd_characters_is_compared_like_any_other() -> None:
    assert not roa(SignableRequest(method="GET", path="/"), "secret").matches("签\udc80")


def signed(request: httpx.Request, credential: Credential) -> httpx.Request:
    clock = Clock(lambda: 1767225600.0)
    auth = SignatureAuth(credential, clock=clock, nonce=lambda: "0" * 32)
    return next(auth.auth_flow(request))


@pytest.mark.parametrize("url", ["/p?b=2&a=x%20y", "/p?a=x+y&b=2", "/p?b=2&a=x%20y&empty=", "/p"])
def test_auth_signs_what_stands_on_the_request_line_however_it_is_spelt(url: str) -> None:
    credential = Credential(access_key_id="key", access_key_secret="secret")
    request = signed(httpx.Request("POST", f"http://127.0.0.1:1{url}", content=b"body"), credential)
    given = parse_authorization(request.headers["authorization"])
    assert given is not None
    query = dict(httpx.URL(request.url).params)
    headers = dict(request.headers)
    received = SignableRequest(method="POST", path="/p", query=query, headers=headers, body=b"body")
    assert acs3(received, given.signed_headers, "secret").matches(given.signature)


def test_auth_signs_only_what_nobody_on_the_way_changes() -> None:
    credential = Credential(access_key_id="key", access_key_secret="secret", security_token="token")
    request = httpx.Request("POST", "http://127.0.0.1:1/p", json={}, headers={"accept": "*/*", "user-agent": "u"})
    given = parse_authorization(signed(request, credential).headers["authorization"])
    assert given is not None
    assert given.signed_headers == (
        "content-type",
        "host",
        "x-acs-accesskey-id",
        "x-acs-content-sha256",
        "x-acs-date",
        "x-acs-security-token",
        "x-acs-signature-nonce",
    )
    assert request.headers["x-acs-date"] == "2026-01-01T00:00:00Z"
    assert (request.headers["x-acs-accesskey-id"], request.headers["x-acs-security-token"]) == ("key", "token")
