"""Finds sources for providers that a state names by their type only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from statefmt.edit.session import LoadedState, names_legacy_providers, reread
from statefmt.formats.providers import KEEP, SourceChoice, full_sources, short_addresses, types_without_source
from statefmt.formats.reading import inspect
from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST
from statefmt.model.errors import ProviderSourceError, StoreError
from statefmt.model.snapshot import Snapshot
from statefmt.store.backends import RemoteName
from statefmt.store.backends.description import WORKSPACES_FOLDER
from statefmt.store.reading import STANDARD_INPUT

if TYPE_CHECKING:
    from statefmt.analysis.providers.inferred_sources import Evidence, Inferred
    from statefmt.configuration.provider_instances import ProviderReferences
    from statefmt.formats.versions import StateV4


class Registry(StrEnum):
    """The public registry to use for providers."""

    KEEP = "keep"
    OPENTOFU = "opentofu"
    TERRAFORM = "terraform"

    @property
    def host(self) -> str:
        """The host of the registry; "" to keep each provider's own."""
        return _HOSTS[self.value]


_HOSTS: Final[Mapping[str, str]] = {"keep": "", "opentofu": DEFAULT_HOST, "terraform": TERRAFORM_HOST}


class SourceRequest(Struct, frozen=True, kw_only=True):
    """The provider sources that a caller chooses, and the evidence to infer other sources from.

    Without a `registry`, the sources of providers known by their type only are inferred from the configuration in
    `directory`, which `references` loads, from its lock file and from the state itself.
    """

    registry: Registry | None = None
    choice: SourceChoice = KEEP
    directory: str | None = None
    references: Callable[[], ProviderReferences | None] = lambda: None

    def applied(
        self, state: LoadedState, folders: Sequence[Path] = (), *, short: Mapping[str, int] | None = None
    ) -> LoadedState:
        """Add inferred sources to a state that was loaded with `choice`.

        `folders` may have the lock file. `short` counts by type the resources that name their provider by its type
        only; default: the resources of the document. Raises ProviderSourceError if an engine would drop resources of
        the canonical form without a request: the state has provider addresses in the form before Terraform 0.13, whose
        source is unknown.
        """
        has_legacy = state.sources.used or names_legacy_providers(state.result.snapshot)
        if not has_legacy or self.registry in (Registry.KEEP, Registry.OPENTOFU):
            return state

        # The document as it was read: a snapshot has the chosen sources already.
        document = _document(state)
        if short is None and document:
            short = types_without_source(document)
        if not document or not short:
            return state
        from statefmt.analysis.providers.inferred_sources import Inferred, infer

        problems: list[str] = []
        if self.registry is Registry.TERRAFORM:
            unknown = sorted(state.sources.unresolved.keys() & short.keys())
            found = Inferred(choice=self.choice, unknown=unknown, host=TERRAFORM_HOST)
        else:
            found = infer(short, self.choice.legacy, self._evidence(folders, document, problems))
            state = reread(state, found.choice)
            state.sources.origins.update(found.origins)
        if found.unknown or found.ambiguous:
            raise _refusal(state.result.snapshot, short, found, problems)
        return state

    def configured(self, state: LoadedState) -> SourceChoice:
        """Return the configuration's sources, with its lock file, for providers known by their type only.

        Omits types without a source or with several sources. Well-known sources are not used.
        """
        # Imported late, here and below: few states need it.
        from statefmt.analysis.providers.inferred_sources import infer

        document = _document(state)
        if document is None:
            return KEEP
        evidence = self._evidence((), document, [])
        configs = (resource.provider_config for resource in state.result.snapshot.resources)
        types = {config.provider.type for config in configs if config is not None and config.provider.is_legacy}
        found = dict(infer(types & evidence.required.keys(), {}, evidence).choice.legacy)
        # Other addresses have their own host and need no source.
        for type_ in types - found.keys() - short_addresses(document).keys():
            required = evidence.required.get(type_, ())
            if len(required) == 1:
                found[type_] = next(iter(required))
        return SourceChoice("", found)

    def _evidence(self, folders: Sequence[Path], document: StateV4, problems: list[str]) -> Evidence:
        """Gather evidence for the sources of providers; files that cannot be read are added to `problems`."""
        from statefmt.analysis.providers.inferred_sources import Evidence, required_sources
        from statefmt.configuration.provider_schemas import LOCK_FILE, locked_providers

        references = self.references()
        lock_file, locked = "", None
        for folder in folders if self.directory is None else [Path(self.directory)]:
            lock_file = str(folder / LOCK_FILE)
            try:
                locked = locked_providers(folder / LOCK_FILE)
            except StoreError as error:
                problems.append(f"The lock file was not used: {error}")
            if locked is not None:
                break
        if references is not None and locked is None and not problems:
            problems.append(f"There is no {lock_file}, which init writes")
        return Evidence(
            required={} if references is None else required_sources(references.configuration),
            configuration=f"the configuration in {self.directory}",
            locked=locked or (),
            lock_file=lock_file,
            in_state=full_sources(document),
        )


def _document(state: LoadedState) -> StateV4 | None:
    upgraded = state.result.upgraded
    return inspect(state.data).document if upgraded is None else upgraded.document


def lock_file_folders(name: str) -> Sequence[Path]:
    """Return the folders whose lock file may belong to a state; none for standard input and URLs."""
    if name == STANDARD_INPUT:
        return []
    if isinstance(name, RemoteName):
        return [] if name.folder is None else [Path(name.folder)]
    folder = Path(name).parent
    # Local states of workspaces are in terraform.tfstate.d/WORKSPACE.
    return [folder, folder.parent.parent] if folder.parent.name == WORKSPACES_FOLDER else [folder]


def _refusal(
    snapshot: Snapshot, short: Mapping[str, int], found: Inferred, problems: Sequence[str]
) -> ProviderSourceError:
    concerned = [*found.ambiguous, *found.unknown]
    text = f"nothing says where these providers come from, which the state names by type only: {', '.join(concerned)}"
    for type_, sources in found.ambiguous.items():
        text += f"; the source of {type_} is ambiguous: {' or '.join(sources)}"
    return ProviderSourceError(
        f"{text}. Give their sources, as sources={{{concerned[0]!r}: 'NAMESPACE/{concerned[0]}'}}, or a registry",
        *(f". {problem}" for problem in problems),
        total=len(snapshot.resources),
        short=dict(short),
        unknown=tuple(found.unknown),
        ambiguous=dict(found.ambiguous),
        host=found.host,
        problems=tuple(problems),
    )
