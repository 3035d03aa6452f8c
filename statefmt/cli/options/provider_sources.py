"""The options that rewrite provider sources: --registry and --legacy-provider, and what is told of them."""

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
    """The public registry that providers are to come from."""

    KEEP = "keep"
    OPENTOFU = "opentofu"
    TERRAFORM = "terraform"


_HOSTS = {Registry.KEEP: "", Registry.OPENTOFU: DEFAULT_HOST, Registry.TERRAFORM: TERRAFORM_HOST}

RegistryOption = Annotated[
    Registry,
    typer.Option(
        show_default=False,
        help="Have all providers of the two public registries come from one of them, and HashiCorp's own that are "
        "known by their type only, too; default: keep.",
    ),
]
LegacyProviderOption = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(
        "--legacy-provider",
        metavar="TYPE=[HOST/]NAMESPACE/TYPE",
        show_default=False,
        help="Where a provider known by its type only (provider.aws, or -/aws) comes from, as in aws=hashicorp/aws; "
        "repeatable. HashiCorp's own need not be named then.",
    ),
]


def chosen_sources(registry: Registry, legacy: list[str] | None) -> SourceChoice:
    """The provider sources that --registry and --legacy-provider ask for."""
    try:
        return source_choice(_HOSTS[registry], legacy or ())
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--legacy-provider") from error


def show_sources(loaded: LoadedState, choice: SourceChoice) -> None:
    """Say on standard error which sources were rewritten in a state, and which providers nobody knows."""
    terminal = message_terminal()
    text = sources_text(loaded.sources, choice, terminal)
    if text:
        print(f"{terminal.wrap(f'{display_name(loaded.name)}: provider sources', '', '  ')}\n{text}", file=sys.stderr)


def show_unused(choice: SourceChoice, used: Iterable[str]) -> None:
    """Say on standard error which --legacy-provider entries no state needed."""
    text = unused_text(choice, used, message_terminal())
    if text:
        print(text, file=sys.stderr)
