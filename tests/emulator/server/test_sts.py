"""STS in the emulator."""

from pathlib import Path

from pai_jupyter.cloud.client import sts
from tests.support.tables import ask, make_world


async def test_a_caller_learns_whose_key_it_uses(tmp_path: Path) -> None:
    answer = await ask(make_world(tmp_path), sts.GET_CALLER_IDENTITY)
    assert (answer["AccountId"], answer["IdentityType"]) == ("1000000000000001", "Account")
    assert answer["Arn"] == "acs:ram::1000000000000001:root"
