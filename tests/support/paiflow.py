"""Sessions at the PAIFlow of tests."""

from collections.abc import AsyncIterator

import pytest

from pai_jupyter.cloud.client import Credential, Endpoints, StaticCredentials
from pai_jupyter.cloud.flow import service as flow_service
from pai_jupyter.cloud.session import Session
from tests.fakes.openapi import KEY, SECRET
from tests.fakes.paiflow import WORKSPACE, PaiFlow


@pytest.fixture
async def paiflow(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PaiFlow]:
    """The service; who tries again does so at once."""
    monkeypatch.setattr("pai_jupyter.cloud.client.retry._FIRST", 0.001)
    monkeypatch.setattr("pai_jupyter.cloud.client.retry._LONGEST", 0.002)
    monkeypatch.setattr(flow_service, "_spoken", {})
    async with PaiFlow() as service:
        yield service


def flow_session(service: PaiFlow) -> Session:
    """A session there, without any configuration."""
    return Session(
        region_id="cn-test",
        workspace_id=WORKSPACE,
        oss_bucket_name="pai-test",
        oss_endpoint=service.address,
        endpoints=Endpoints(region="cn-test", address=service.address),
        credentials=StaticCredentials(Credential(access_key_id=KEY, access_key_secret=SECRET)),
    )
