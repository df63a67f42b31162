"""List the regions, workspaces and buckets of an account, for the user to choose from."""

from contextlib import suppress
from dataclasses import dataclass, field

from pai_jupyter.cloud.client import Client, CredentialProvider, Endpoints, aiworkspace
from pai_jupyter.cloud.session.session import Session, oss_hosts
from pai_jupyter.errors import SpecError
from pai_jupyter.storage.oss.account import list_buckets, list_regions


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One option; `label` describes it for people."""

    value: str
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class Account:
    """The account of `credentials`; in the emulator at `address` if given.

    Every method makes requests and may raise a `PaiJupyterError`.
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
        """Return the workspace's default bucket, if it has one."""
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
