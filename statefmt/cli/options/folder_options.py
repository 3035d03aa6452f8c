"""The options of all commands that read a state, which say more about the state of a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import click
from typer.core import TyperOption

from statefmt.cli.options.groups import FOLDER
from statefmt.cli.run import current_run

_WORKSPACE: Final = "workspace"
_SETTINGS: Final = "backend_config"
_NAMES: Final = {_WORKSPACE: "--workspace", _SETTINGS: "--backend-config"}
# The parameters that name states, which must then be folders, or URLs.
_STATES: Final = ("state", "state_option", "states", "old", "new")


def folder_options() -> list[click.Option]:
    """Return the options."""
    options: list[click.Option] = [
        TyperOption(
            param_decls=["--workspace"],
            metavar="WORKSPACE",
            help="Use the state of this workspace, not that of TF_WORKSPACE or the selected one.",
            rich_help_panel=FOLDER,
        ),
        TyperOption(
            param_decls=["--backend-config"],
            metavar="KEY=VALUE|FILE",
            multiple=True,
            help="Set arguments of the backend block, as for init.",
            rich_help_panel=FOLDER,
        ),
    ]
    for option in options:
        option.expose_value = False
        option.callback = _remember
    return options


def use_folder_options(context: click.Context) -> None:
    """Put the options into the run. Raises BadParameter if a file is named."""
    given = context.meta.get(__name__, {})
    used = [option for name, option in _NAMES.items() if given.get(name)]
    if not used:
        return
    if any(_is_file(name) for name in _named(context)):
        raise click.BadParameter(
            "only the state of a folder has it, and a file is named here", context, param_hint=used[0]
        )
    from statefmt.locations import BackendOptions

    run = current_run()
    options = BackendOptions(given.get(_WORKSPACE), tuple(given.get(_SETTINGS) or ()))
    context.obj = replace(run, context=replace(run.context, backend=options))


def _named(context: click.Context) -> Iterator[str]:
    """Yield the states that the command line names."""
    for parameter in _STATES:
        value = context.params.get(parameter)
        yield from [value] if isinstance(value, str) else value or ()


def _is_file(name: str) -> bool:
    # os.path.isdir returns False where a folder above may not be searched; Path.is_dir raises.
    return "://" not in name and not os.path.isdir(name)  # noqa: PTH112


def _remember(context: click.Context, parameter: click.Parameter, value: object) -> object:
    if parameter.name == _WORKSPACE and value == "":
        raise click.BadParameter("must not be empty", context, parameter)
    context.meta.setdefault(__name__, {})[parameter.name] = value
    return value
