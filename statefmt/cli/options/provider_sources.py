"""The options that choose provider sources for commands that write states, and their reports."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Optional

import typer

from statefmt.cli.command_line import command_with
from statefmt.cli.options.configuration import ConfigurationOptions
from statefmt.cli.options.groups import PROVIDERS
from statefmt.cli.run import run_context
from statefmt.cli.streams import message_terminal, say
from statefmt.edit.session import LoadedState, loaded, names_legacy_providers
from statefmt.formats.providers.sources import SourceChoice, source_choice
from statefmt.formats.reading.inspect import inspect
from statefmt.model.addrs import DEFAULT_HOST, TERRAFORM_HOST
from statefmt.model.errors import ProviderSourceError, StoreError
from statefmt.render.formats.provider_sources import sources_text, unused_text
from statefmt.store.reading import STANDARD_INPUT, display_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from statefmt.analysis.providers.inferred_sources import Evidence, Inferred
    from statefmt.formats.versions.v4 import StateV4


class Registry(StrEnum):
    """The public registry to use for providers."""

    KEEP = "keep"
    OPENTOFU = "opentofu"
    TERRAFORM = "terraform"


_WORKSPACES: Final = "terraform.tfstate.d"
_HOSTS = {Registry.KEEP: "", Registry.OPENTOFU: DEFAULT_HOST, Registry.TERRAFORM: TERRAFORM_HOST}

RegistryOption = Annotated[
    Optional[Registry],  # noqa: UP045 - typer reads the annotation at run time
    typer.Option(
        show_default=False,
        help="Use this registry for all providers from the two public registries, and for HashiCorp's providers "
        "without a source; default: keep, if all providers have a source.",
        rich_help_panel=PROVIDERS,
    ),
]
LegacyProviderOption = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(
        "--legacy-provider",
        metavar="TYPE=[HOST/]NAMESPACE/TYPE",
        show_default=False,
        help="The source of a provider known only by its type (provider.aws or -/aws), such as aws=hashicorp/aws; "
        "can be repeated. With --registry, HashiCorp's own need not be named.",
        rich_help_panel=PROVIDERS,
    ),
]


class ProviderSources:
    """The provider sources that the options of a command select.

    Without --registry, the sources of providers known by their type only are inferred: from the configuration or, if
    none is given, from the lock file beside the state, and from the state itself. `states` are all states of the
    command; `unnamed` means that the only one is that of the current workspace.
    """

    def __init__(
        self,
        command: str,
        registry: Registry | None,
        legacy: list[str] | None,
        configuration: ConfigurationOptions,
        states: Collection[str],
        *,
        unnamed: bool = False,
    ) -> None:
        self._command: Final = command
        self._registry: Final = registry
        self._configuration: Final = configuration
        self._states: Final = states
        self._unnamed: Final = unnamed
        try:
            self.choice: Final = source_choice(_HOSTS[registry or Registry.KEEP], legacy or ())
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--legacy-provider") from error

    def load(self, name: str) -> LoadedState:
        """Read a state and rewrite its provider sources as the options say."""
        return loaded(run_context(), name, run_context().read(name), self.choice)

    def opened(self, name: str, data: bytes) -> LoadedState:
        """Like load() and inferred(), for bytes that were already read."""
        return self.inferred(loaded(run_context(), name, data, self.choice))

    def inferred(self, state: LoadedState) -> LoadedState:
        """Return a loaded state with the sources that no option gives.

        Raises ProviderSourceError if an engine would drop resources of the state in canonical form, and nobody asked
        for that: the state has provider addresses in the form before Terraform 0.13, whose source is unknown.
        """
        has_legacy = state.sources.used or names_legacy_providers(state.result.snapshot)
        if not has_legacy or self._registry in (Registry.KEEP, Registry.OPENTOFU):
            return state
        # Imported late, here and below: few states need it.
        from statefmt.formats.providers.short_addresses import short_addresses

        # The document as it was read: a snapshot has the sources of --legacy-provider already.
        document = inspect(state.data).document
        short = short_addresses(document) if document else None
        if not document or not short:
            return state
        from statefmt.analysis.providers.inferred_sources import Inferred, infer

        problems: list[str] = []
        if self._registry is Registry.TERRAFORM:
            unknown = sorted(state.sources.unresolved.keys() & short.keys())
            found = Inferred(choice=self.choice, unknown=unknown, host=TERRAFORM_HOST)
        else:
            found = infer(short, self.choice.legacy, self._evidence(state.name, document, problems))
            state = loaded(run_context(), state.name, state.stored, found.choice)
            state.sources.origins.update(found.origins)
        if found.unknown or found.ambiguous:
            raise ProviderSourceError(self._refusal(state, short, found, problems))
        return state

    def _evidence(self, name: str, document: StateV4, problems: list[str]) -> Evidence:
        """Gather what says where providers come from; what cannot be read is added to `problems`."""
        from statefmt.analysis.providers.inferred_sources import Evidence, required_sources
        from statefmt.configuration.lock_file import LOCK_FILE, locked_providers
        from statefmt.formats.providers.short_addresses import full_sources

        references = self._configuration.loaded()
        lock_file, locked = "", None
        for folder in self._folders(name):
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
            configuration=f"the configuration in {self._configuration.directory}",
            locked=locked or (),
            lock_file=lock_file,
            in_state=full_sources(document),
        )

    def _folders(self, name: str) -> Sequence[Path]:
        """Return the folders whose lock file is that of the state's configuration; none for standard input."""
        if self._configuration.directory is not None:
            return [Path(self._configuration.directory)]
        if self._unnamed:
            return [Path()]
        if name == STANDARD_INPUT:
            return []
        folder = Path(name).parent
        # Local states of workspaces are in terraform.tfstate.d/WORKSPACE.
        return [folder, folder.parent.parent] if folder.parent.name == _WORKSPACES else [folder]

    def _refusal(
        self, state: LoadedState, short: Mapping[str, int], inferred: Inferred, problems: Sequence[str]
    ) -> str:
        from statefmt.render.formats.untold_sources import untold_text

        others = {other for other in self._states if other != state.name}
        text = untold_text(
            len(state.result.snapshot.resources),
            short,
            inferred,
            lambda *options: command_with(self._command, *options, without=others),
            message_terminal(),
            problems=problems,
            has_configuration=self._configuration.directory is not None,
        )
        return f"{display_name(state.name)}: {text}"


def show_sources(loaded: LoadedState, choice: SourceChoice) -> None:
    """Print to standard error which sources were rewritten in a state, and which providers are unknown."""
    terminal = message_terminal()
    text = sources_text(loaded.sources, choice, terminal)
    if text:
        print(f"{terminal.wrap(f'{display_name(loaded.name)}: provider sources', '', '  ')}\n{text}", file=sys.stderr)


def show_engines(loaded: LoadedState) -> None:
    """Print to standard error which engine reads a state, if one drops resources or sources were rewritten."""
    from statefmt.render.formats.engines import engines_sentence

    sentence = engines_sentence(loaded.result.snapshot)
    if sentence and (loaded.sources.changes or names_legacy_providers(loaded.result.snapshot)):
        say(f"{display_name(loaded.name)}: {sentence}")


def show_unused(choice: SourceChoice, used: Iterable[str]) -> None:
    """Print to standard error which --legacy-provider entries no state needed."""
    text = unused_text(choice, used, message_terminal())
    if text:
        print(text, file=sys.stderr)
