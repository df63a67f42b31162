"""`UnRegisteredComponent`: a component that has its manifest here, and can be saved."""

import secrets
from collections.abc import Iterable
from typing import Any

from pai_jupyter.spec import Json
from pai_jupyter.workflow.component_base import ComponentBase
from pai_jupyter.workflow.document_secrets import masked, refuse_in_documents
from pai_jupyter.workflow.documents import API_VERSION, MADE_UP, Document, with_metadata
from pai_jupyter.workflow.manifest_text import to_yaml
from pai_jupyter.workflow.registered_component import RegisteredComponent
from pai_jupyter.workflow.variables import PipelineVariable


class UnRegisteredComponent(ComponentBase):
    """A component with a manifest that was made here."""

    def __init__(self, inputs: Iterable[PipelineVariable] | None, outputs: Iterable[PipelineVariable] | None) -> None:
        super().__init__(inputs, outputs)
        self.guid = secrets.token_hex(16)
        self.name = f"{MADE_UP}{secrets.token_hex(8)}"

    @property
    def title(self) -> str:
        return self.name

    def reference(self) -> dict[str, Json]:
        return {"guid": self.guid}

    def spec_to_dict(self) -> dict[str, Json]:
        """Return the `spec` of its document."""
        return self.io_spec_to_dict()

    def documents(self) -> list[Document]:
        return [
            {"apiVersion": API_VERSION, "metadata": {"name": self.name, "guid": self.guid}, "spec": self.spec_to_dict()}
        ]

    def to_dict(
        self, identifier: str | None = None, version: str | None = None
    ) -> Any:  # Any: a document, or a list of several
        """Return the manifest, as PAI's SDK does: one document, or a list of them, this one last. Secrets are masked.

        Raises:
            SpecError: a known secret is where nothing masks it.
        """
        documents = self._public(identifier, version)
        return documents[0] if len(documents) == 1 else documents

    def to_manifest(self, identifier: str | None = None, version: str | None = None) -> str:
        """Return the manifest as YAML text, `---` between documents. Secrets are masked.

        Raises:
            SpecError: a known secret is where nothing masks it.
        """
        return to_yaml(self._public(identifier, version))

    def _public(self, identifier: str | None, version: str | None) -> list[Document]:
        documents = with_metadata(self.documents(), identifier=identifier, version=version)
        refuse_in_documents(documents)
        return masked(documents)

    def save(self, identifier: str, version: str) -> RegisteredComponent:
        """Save it under an identifier and a version: in PAIFlow where there is a session, else on this machine.

        Raises:
            SpecError: a name is missing, or the version is there already.
            BackendError: PAIFlow does not answer or refuses it.
        """
        return RegisteredComponent.saved(self.documents(), identifier=identifier, version=version)

    def __repr__(self) -> str:
        names = ", ".join(it.name for it in self.inputs)
        return f"<{type(self).__name__} {self.name}: {names or 'no inputs'}>"
