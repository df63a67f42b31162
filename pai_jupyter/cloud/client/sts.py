"""STS 2015-04-01: whose key this is. Official clients call it in its older style, all in the query and signed by HMAC-SHA1."""

from pai_jupyter.cloud.client.operation import Service

SERVICE = Service(name="STS", origin="https://sts", version="2015-04-01", root="")

GET_CALLER_IDENTITY = SERVICE.operation("GetCallerIdentity", "POST /", is_repeatable=True)
