"""Call Alibaba Cloud's OpenAPI over httpx: `await client.call(paistudio.GET_TRAINING_JOB, path={...})`.

    paistudio aiworkspace dlc paiflow sts    the operations of each service, as tables of `operation`
    request      an outgoing call, unsigned                 answer     the answer: fields or a failure
    signatures   the three algorithms, pure                  refusals   failures as our errors
    auth         signing as an `httpx.Auth`; the clock       retry      when to repeat a call
    credential   a key and its provider                     paging     lists in pages
    sources      the sources of keys on this machine        endpoints  the addresses of services
    client       sends calls, waits, keeps deadlines

Rule 1: a call that is not idempotent is sent once. If its answer is lost, `UncertainError` is raised.
Rule 2: decisions are pure functions; clock, pauses, nonces and random numbers are given to `Client`.
Rule 3: no credential in any `repr`, exception or log.
"""

from pai_jupyter.cloud.client import aiworkspace, dlc, paiflow, paistudio, sts
from pai_jupyter.cloud.client.auth import SignatureAuth
from pai_jupyter.cloud.client.client import Client
from pai_jupyter.cloud.client.credential import Credential, CredentialProvider, StaticCredentials
from pai_jupyter.cloud.client.endpoints import Endpoints, Network
from pai_jupyter.cloud.client.operation import Operation, Paging, Service
from pai_jupyter.cloud.client.request import Query
from pai_jupyter.cloud.client.sources import credentials
from pai_jupyter.errors import UncertainError

__all__ = [
    "Client",
    "Endpoints",
    "Network",
    "Credential",
    "CredentialProvider",
    "StaticCredentials",
    "credentials",
    "SignatureAuth",
    "UncertainError",
    "Operation",
    "Paging",
    "Query",
    "Service",
    "paistudio",
    "aiworkspace",
    "dlc",
    "paiflow",
    "sts",
]
