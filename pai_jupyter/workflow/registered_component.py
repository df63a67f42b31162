"""`RegisteredComponent`: a component or a pipeline that is saved under an identifier and a version."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from pai_jupyter.cloud.flow import SavedPipeline
from pai_jupyter.cloud.session import Session
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json
from pai_jupyter.workflow.component_base import ComponentBase
from pai_jupyter.workflow.component_store import ComponentVersion, FlowStore, HomeStore, find, stores
from pai_jupyter.workflow.document_secrets import masked, refuse_in_documents
from pai_jupyter.workflow.documents import Document, inside, with_metadata
from pai_jupyter.workflow.io_spec import load_spec
from pai_jupyter.workflow.manifest_text import to_yaml
from pai_jupyter.workflow.names import check_identity

if TYPE_CHECKING:
    import builtins


class SavedOperator(ComponentBase):
    """A saved component; `get_by_identifier` finds one.

    Example:
        >>> from pai_jupyter import ContainerComponent, RegisteredComponent
        >>> saved = ContainerComponent(image_uri="python:3", command=["true"]).save("nothing", "of one session")
        >>> RegisteredComponent.get_by_identifier("nothing", version="of one session") == saved
        True
        >>> saved.delete()
    """

    def __init__(self, stored: ComponentVersion) -> None:
        super().__init__(None, None)
        self._stored = stored
        if stored.documents:
            self.inputs, self.outputs = load_spec(stored.documents[-1].get("spec"), parent=self)

    @property
    def identifier(self) -> str:
        return self._stored.identifier

    @property
    def version(self) -> str:
        return self._stored.version

    @property
    def provider(self) -> str:
        return self._stored.provider

    @property
    def pipeline_id(self) -> str:
        """PAIFlow's id of it."""
        return self._stored.id

    @property
    def is_here(self) -> bool:
        """Whether it is saved on this machine, not in PAIFlow."""
        return self._stored.is_here

    @property
    def title(self) -> str:
        return self.identifier

    @property
    def manifest(self) -> Document:
        """Its own document."""
        return masked(self.documents())[-1]

    @property
    def raw_manifest(self) -> str:
        """Its own document as YAML text."""
        return to_yaml([self.manifest])

    @classmethod
    def get_by_identifier(cls, identifier: str, provider: str | None = None, version: str = "v1") -> Self:
        """Find a saved component; `provider`: an account, default this one, or "pai" for PAI's own.

        Raises:
            NotFoundError: there is none of this identifier and version.
            BackendError: PAIFlow does not answer.
        """
        identifier, version = check_identity(identifier, "identifier"), check_identity(version, "version")
        return cls(find(identifier, version=version, provider=provider or ""))

    @classmethod
    def list(
        cls, identifier: str | None = None, provider: str | None = None, version: str | None = None
    ) -> "builtins.list[RegisteredComponent]":
        """List saved components; those of PAIFlow without their inputs and outputs.

        Raises:
            BackendError: PAIFlow does not answer.
        """
        found = [it for store in stores() for it in store.list(identifier=identifier or "", provider=provider or "")]
        return [RegisteredComponent(it) for it in found if version in (None, it.version)]

    @classmethod
    def saved(cls, documents: Sequence[Document], *, identifier: str, version: str) -> Self:
        """Save a manifest and return the component as it is saved; see `UnRegisteredComponent.save`."""
        identifier, version = check_identity(identifier, "identifier"), check_identity(version, "version")
        refuse_in_documents(with_metadata(documents, identifier=identifier, version=version))
        return cls(stores()[0].save(documents, identifier=identifier, version=version))

    def as_saved(self) -> SavedPipeline | None:
        if self.is_here:
            return None
        documents = tuple(self.documents())
        return SavedPipeline(
            id=self.pipeline_id,
            identifier=self.identifier,
            provider=self.provider,
            version=self.version,
            documents=documents,
        )

    def delete(self) -> None:
        """Delete it; what runs is not affected.

        Raises:
            BackendError: PAIFlow does not answer.
        """
        (HomeStore() if self.is_here else FlowStore(_session())).delete(self._stored)

    def save(self, identifier: str | None = None, version: str | None = None) -> None:
        raise SpecError(
            "it is saved already, and a version stays as it is. Save the component that it was made of.",
            field="version",
        )

    def reference(self) -> dict[str, Json]:
        if self.is_here:
            return {"guid": str(inside(self.documents()[-1], "metadata").get("guid"))}
        return {"identifier": self.identifier, "provider": self.provider, "version": self.version}

    def documents(self) -> "builtins.list[Document]":
        if not self._stored.documents:  # it comes from a list
            self._stored = FlowStore(_session()).get(self.identifier, version=self.version, provider=self.provider)
            self.inputs, self.outputs = load_spec(self._stored.documents[-1].get("spec"), parent=self)
        return [*self._stored.documents]

    def io_spec_to_dict(self) -> dict[str, Json]:
        self.documents()
        return super().io_spec_to_dict()

    def attached(self) -> "builtins.list[Document]":
        return self.documents() if self.is_here else []

    def registered(self) -> "builtins.list[Document]":
        return [] if self.is_here else self.documents()

    def __repr__(self) -> str:
        return (
            f"RegisteredComponent:Id={self.pipeline_id},Identifier={self.identifier},Provider={self.provider},"
            f"Version={self.version}"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RegisteredComponent) and (other.is_here, other.pipeline_id) == (
            self.is_here,
            self.pipeline_id,
        )

    def __hash__(self) -> int:
        return hash(self.pipeline_id)


RegisteredComponent = SavedOperator
"""Its name in later versions of PAI's SDK."""


def _session() -> Session:
    from pai_jupyter.cloud.session import need_session

    return need_session()
