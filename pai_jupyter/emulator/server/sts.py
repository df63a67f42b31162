"""STS: whose key this is."""

from pai_jupyter.cloud.client import sts
from pai_jupyter.emulator.calls.calls import Call, Table
from pai_jupyter.emulator.protocol.refusal import Fields

TABLE = Table(sts.SERVICE.version)


@TABLE.serves(sts.GET_CALLER_IDENTITY, sts.SERVICE.operation("GetCallerIdentity", "GET /"))
async def get_caller_identity(call: Call) -> Fields:
    return {
        "AccountId": call.account,
        "Arn": f"acs:ram::{call.account}:root",
        "IdentityType": "Account",
        "PrincipalId": call.account,
        "UserId": call.account,
    }
