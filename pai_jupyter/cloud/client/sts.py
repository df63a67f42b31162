"""STS 2015-04-01: the owner of a key. Official clients use its older style: all in the query, signed by HMAC-SHA1."""

from pai_jupyter.cloud.client.operation import Service

SERVICE = Service(name="STS", origin="https://sts", version="2015-04-01", root="")

GET_CALLER_IDENTITY = SERVICE.operation("GetCallerIdentity", "POST /", is_repeatable=True)
