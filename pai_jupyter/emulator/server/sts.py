"""STS: identify the account of a key."""

from pai_jupyter.cloud.client import sts
from pai_jupyter.emulator.calls.calls import ApiCall, OperationTable
from pai_jupyter.emulator.protocol.refusal import Fields

TABLE = OperationTable(sts.SERVICE.version)


@TABLE.serves(sts.GET_CALLER_IDENTITY, sts.SERVICE.operation("GetCallerIdentity", "GET /"))
async def get_caller_identity(call: ApiCall) -> Fields:
    return {
        "AccountId": call.account,
        "Arn": f"acs:ram::{call.account}:root",
        "IdentityType": "Account",
        "PrincipalId": call.account,
        "UserId": call.account,
    }
