"""Calls of Alibaba Cloud's OpenAPI over httpx: `await client.call(paistudio.GET_TRAINING_JOB, path={...})`.

    paistudio aiworkspace dlc sts    what can be asked, in tables of `operation`
    request      a call as it goes out, unsigned             answer     what came back: fields, or trouble
    signatures   the three algorithms, pure                  refusals   trouble into the error tree
    auth         signing as an `httpx.Auth`; the clock       retry      when to ask again
    credential   a key, and who has it                       paging     lists that come in pages
    sources      where keys come from on this machine        endpoints  where services answer
    client       asks, waits, keeps the time

Rule 1: a call that is not the same done twice is made once. When its answer is lost, `UncertainError` says so.
Rule 2: everything that decides is pure; time, pauses, nonces and chance are given to `Client`.
Rule 3: no credential in any `repr`, exception or log.
"""

from pai_jupyter.cloud.client import aiworkspace, dlc, paistudio, sts
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
    "sts",
]
