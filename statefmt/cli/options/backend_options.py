"""The options of all commands that open a state, which say what a run allows on the way to a backend."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Final

import click
from typer.core import TyperOption

from statefmt.cli.confirmation import asking
from statefmt.cli.options.encryption_files import allows_external, external_option
from statefmt.cli.options.groups import BACKEND
from statefmt.cli.run import current_run
from statefmt.cli.streams import say

_HOSTS: Final = "allow_host"
_UNVERIFIED: Final = "no_verify"
_DEBUG: Final = "debug"


def backend_options(own: set[str | None]) -> list[click.Option]:
    """Return the options, except those that the command has."""
    options: list[click.Option] = [
        TyperOption(
            param_decls=["--allow-host"],
            metavar="HOST",
            multiple=True,
            help="Send credentials of the environment to this host, although only the folder names it.",
            rich_help_panel=BACKEND,
        ),
        TyperOption(
            param_decls=["--no-verify"],
            is_flag=True,
            help="Do not verify certificates of servers: whoever is in between can read and change the state.",
            rich_help_panel=BACKEND,
        ),
        TyperOption(
            param_decls=["--debug"],
            is_flag=True,
            help="Show each request to a backend on standard error, without credentials.",
            rich_help_panel=BACKEND,
        ),
    ]
    for option in options:
        option.expose_value = False
        option.callback = _remember
    # Most commands have it for encrypted states.
    options.append(external_option(BACKEND))
    return [option for option in options if option.name not in own]


def use_backend_options(context: click.Context) -> None:
    """Put the options into the run."""
    # Most runs are about a file.
    if _is_file(context.params.get("state")) and not context.params.get("states"):
        return
    from msgspec import structs

    from statefmt.locations import BackendOptions

    given = context.meta.get(__name__, {})
    hosts = tuple(given.get(_HOSTS) or ())
    if not all(hosts):
        raise click.BadParameter("must not be empty", context, param_hint="--allow-host")
    run = current_run()
    options = structs.replace(
        run.context.backend or BackendOptions(),
        allowed_hosts=hosts,
        allow_external=allows_external(context),
        verify=not given.get(_UNVERIFIED),
        agree=asking(),
        debug=_shown if given.get(_DEBUG) else None,
    )
    context.obj = replace(run, context=replace(run.context, backend=options))


def _is_file(name: object) -> bool:
    # os.path.isfile returns False where a folder above may not be searched; Path.is_file raises.
    return isinstance(name, str) and os.path.isfile(name)  # noqa: PTH113


def _shown(text: str) -> None:
    say(f"debug: {text}")


def _remember(context: click.Context, parameter: click.Parameter, value: object) -> object:
    context.meta.setdefault(__name__, {})[parameter.name] = value
    return value
