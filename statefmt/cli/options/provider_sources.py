"""The options that rewrite provider sources, --registry and --legacy-provider, and their reports."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Optional

import typer

from statefmt.cli.streams import message_terminal
from statefmt.edit.session import LoadedState
from statefmt.formats.providers.sources import SourceChoice, source_choice
from statefmt.model.addrs import DEFAULT_HOST, TERRAFORM_HOST
from statefmt.render.formats.provider_sources import sources_text, unused_text
from statefmt.store.reading import display_name


class Registry(StrEnum):
    """The public registry to use for providers."""

    KEEP = "keep"
    OPENTOFU = "opentofu"
    TERRAFORM = "terraform"


_HOSTS = {Registry.KEEP: "", Registry.OPENTOFU: DEFAULT_HOST, Registry.TERRAFORM: TERRAFORM_HOST}

RegistryOption = Annotated[
    Registry,
    typer.Option(
        show_default=False,
        help="Use this registry for all providers from the two public registries, and for HashiCorp's providers "
        "without a source; default: keep.",
    ),
]
LegacyProviderOption = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(
        "--legacy-provider",
        metavar="TYPE=[HOST/]NAMESPACE/TYPE",
        show_default=False,
        help="The source of a provider known only by its type (provider.aws or -/aws), such as aws=hashicorp/aws; "
        "can be repeated. HashiCorp's providers need not be named then.",
    ),
]


def chosen_sources(registry: Registry, legacy: list[str] | None) -> SourceChoice:
    """Return the provider sources that --registry and --legacy-provider select."""
    try:
        return source_choice(_HOSTS[registry], legacy or ())
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--legacy-provider") from error


def show_sources(loaded: LoadedState, choice: SourceChoice) -> None:
    """Print to standard error which sources were rewritten in a state, and which providers are unknown."""
    terminal = message_terminal()
    text = sources_text(loaded.sources, choice, terminal)
    if text:
        print(f"{terminal.wrap(f'{display_name(loaded.name)}: provider sources', '', '  ')}\n{text}", file=sys.stderr)


def show_unused(choice: SourceChoice, used: Iterable[str]) -> None:
    """Print to standard error which --legacy-provider entries no state needed."""
    text = unused_text(choice, used, message_terminal())
    if text:
        print(text, file=sys.stderr)
