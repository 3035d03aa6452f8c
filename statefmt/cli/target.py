"""Rewrites a whole state to standard output, another file or the same file, and reports it.

Includes the options about provider sources, which all rewriting commands share.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final, TypeAlias

from typer import BadParameter, Option

from statefmt import ProviderSourceError
from statefmt.cli.named_state import state_name
from statefmt.cli.options.configuration import ConfigurationOptions
from statefmt.cli.options.shared import PROVIDERS
from statefmt.cli.options.write import destination, store_of
from statefmt.cli.outcome import kept_text, printed_text, why_not
from statefmt.cli.run import command_with, run_context
from statefmt.cli.streams import message_terminal, say
from statefmt.edit.pipeline import EditOptions, Operation, edit
from statefmt.edit.provider_sources import Registry, SourceRequest, lock_file_folders
from statefmt.edit.session import LoadedState, loaded, names_legacy_providers
from statefmt.formats.providers import SourceChoice, source_choice
from statefmt.locations import STANDARD_INPUT, display_name
from statefmt.render.upgrade import sources_text, unused_text

InPlaceOption = Annotated[bool, Option("--in-place", "-i", help="Write the result back to STATE, after a backup.")]

# The rewritten state and its report.
Rewriting: TypeAlias = tuple[LoadedState, str]


def rewrite_state(
    name: str,
    sources: ProviderSources,
    options: EditOptions,
    in_place: bool,
    operation: Operation[Rewriting],
    verb: str,
) -> LoadedState:
    """Rewrite the state `name`, print the report and the destination, and return the old state."""
    target = destination(options, name, in_place)
    done: list[str] = []

    def written(outcome: Rewriting, backup: str | None) -> None:
        if target == STANDARD_INPUT:
            done.append(printed_text(name, options.out))
        else:
            done.append(f"written to {target or name}{kept_text(backup)}")
        _print(outcome[1], done[0])

    outcome = edit(
        run_context(),
        store_of(name),
        replace(options, operation=verb, out=target),
        operation,
        opening=lambda data: sources.opened(name, data),
        written=written,
    )
    if not done:
        _print(outcome[1], f"{why_not(target, dry_run=options.dry_run)}; nothing was written")
    return outcome[0]


def _print(report: str, line: str) -> None:
    ending = [message_terminal().wrap(line, "  ")] if line else []
    print("\n".join([report, *ending]), file=sys.stderr)


RegistryOption = Annotated[
    Registry | None,
    Option(
        help="Use this registry for all providers from the two public registries, and for HashiCorp's providers "
        "without a source; default: keep, if all providers have a source.",
        rich_help_panel=PROVIDERS,
    ),
]
LegacyProviderOption = Annotated[
    list[str] | None,
    Option(
        "--legacy-provider",
        metavar="TYPE=[HOST/]NAMESPACE/TYPE",
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
        self._configuration: Final = configuration
        self._states: Final = states
        self._unnamed: Final = unnamed
        self._given: Final[dict[str, str]] = {}
        try:
            self.choice: Final = source_choice((registry or Registry.KEEP).host, legacy or ())
        except ValueError as error:
            raise BadParameter(str(error), param_hint="--legacy-provider") from error
        self._request: Final = SourceRequest(
            registry=registry, choice=self.choice, directory=configuration.directory, references=configuration.loaded
        )

    def named(self, given: str) -> str:
        """Return the state that a name on the command line stands for. Raises StoreError."""
        name = state_name(given)
        self._given[name] = given
        return name

    def load(self, name: str) -> LoadedState:
        """Read a state and rewrite its provider sources as the options say."""
        return loaded(run_context(), name, run_context().read(name), self.choice)

    def opened(self, name: str, data: bytes) -> LoadedState:
        """Like load() and inferred(), for bytes that were already read."""
        return self.inferred(loaded(run_context(), name, data, self.choice))

    def inferred(self, state: LoadedState) -> LoadedState:
        """Return a loaded state with the sources that no option gives.

        Raises ProviderSourceError, with the command lines that work; see `SourceRequest.applied`.
        """
        try:
            return self._request.applied(state, [Path()] if self._unnamed else lock_file_folders(state.name))
        except ProviderSourceError as error:
            raise ProviderSourceError(self._refusal(state.name, error)) from error

    def _refusal(self, name: str, error: ProviderSourceError) -> str:
        from statefmt.render.conversions import untold_text

        others = {other for other in self._states if other != self._given.get(name, name)}
        text = untold_text(
            error,
            lambda *options: command_with(self._command, *options, without=others),
            message_terminal(),
            has_configuration=self._configuration.directory is not None,
        )
        return f"{display_name(name)}: {text}"


def show_sources(loaded: LoadedState, choice: SourceChoice) -> None:
    """Print to standard error which sources were rewritten in a state, and which providers are unknown."""
    terminal = message_terminal()
    text = sources_text(loaded.sources, choice, terminal)
    if text:
        print(f"{terminal.wrap(f'{display_name(loaded.name)}: provider sources', '', '  ')}\n{text}", file=sys.stderr)


def show_engines(loaded: LoadedState) -> None:
    """Print to standard error which engine reads a state, if one drops resources or sources were rewritten."""
    if not loaded.sources.changes and not names_legacy_providers(loaded.result.snapshot):
        return
    from statefmt.render.conversions import engines_sentence

    sentence = engines_sentence(loaded.result.snapshot)
    if sentence:
        say(f"{display_name(loaded.name)}: {sentence}")


def show_unused(choice: SourceChoice, used: Iterable[str]) -> None:
    """Print to standard error which --legacy-provider entries no state needed."""
    text = unused_text(choice, used, message_terminal())
    if text:
        print(text, file=sys.stderr)
