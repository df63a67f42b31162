"""What a key can see of its account: regions, workspaces, buckets. For who is about to choose among them."""

from contextlib import suppress
from dataclasses import dataclass, field

from pai_jupyter.cloud.client import Client, CredentialProvider, Endpoints, aiworkspace
from pai_jupyter.cloud.session.session import Session, oss_hosts
from pai_jupyter.errors import SpecError
from pai_jupyter.storage.oss.account import list_buckets, list_regions


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One of several; `label` says more of it to people."""

    value: str
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class Account:
    """The account that `credentials` belong to; at the emulator at `address`, if one is given.

    Every method asks over the network, and may raise a `PaiJupyterError`.
    """

    credentials: CredentialProvider = field(repr=False)
    address: str | None = None

    def regions(self) -> list[Choice]:
        return [Choice(value=region) for region in list_regions(credentials=self.credentials, endpoint=self.address)]

    def workspaces(self, region: str) -> list[Choice]:
        async def collect(client: Client) -> list[Choice]:
            pages = client.pages(aiworkspace.LIST_WORKSPACES)
            found = [each async for page in pages for each in page]
            return [Choice(value=str(each["WorkspaceId"]), label=str(each.get("WorkspaceName", ""))) for each in found]

        return self._session(region).ask(collect)

    def buckets(self, region: str) -> list[Choice]:
        endpoint = self.address or oss_hosts(region)[0]
        names = list_buckets(credentials=self.credentials, region=region, endpoint=endpoint)
        return [Choice(value=name) for name in names]

    def default_bucket(self, region: str, workspace: str) -> str | None:
        """Return the bucket in which the workspace keeps its models, if it has one."""
        with suppress(SpecError):
            return self._session(region, workspace).require_bucket()
        return None

    def _session(self, region: str, workspace: str | None = None) -> Session:
        return Session(
            region_id=region,
            workspace_id=workspace,
            endpoints=Endpoints(region=region, address=self.address),
            credentials=self.credentials,
        )
