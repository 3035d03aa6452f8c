"""The options about the state of a folder, and about what a run allows on the way to its backend."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import click

from statefmt.cli.confirmation import asking
from statefmt.cli.declared import PanelOption
from statefmt.cli.options.encryption_files import allows_external, external_option
from statefmt.cli.options.groups import BACKEND, FOLDER
from statefmt.cli.options.remembered import remembered, remembered_values
from statefmt.cli.run import current_run
from statefmt.cli.streams import say

_OF_FOLDERS: Final = {"workspace": "--workspace", "backend_config": "--backend-config"}
# The parameters that name states, which must then be folders, or URLs.
_STATES: Final = ("state", "state_option", "states", "old", "new", "stored")


def folder_options() -> list[click.Option]:
    """Return the options of commands that find the state of a folder."""
    return remembered(
        PanelOption(
            "--workspace",
            metavar="WORKSPACE",
            help="Use the state of this workspace, not that of TF_WORKSPACE or the selected one.",
            panel=FOLDER,
        ),
        PanelOption(
            "--backend-config",
            metavar="KEY=VALUE|FILE",
            multiple=True,
            help="Set arguments of the backend block, as for init.",
            panel=FOLDER,
        ),
    )


def connection_options(own: set[str | None]) -> list[click.Option]:
    """Return the options of commands that open states, except those that the command has."""
    options = remembered(
        PanelOption(
            "--allow-host",
            metavar="HOST",
            multiple=True,
            help="Send credentials of the environment to this host, although only the folder names it.",
            panel=BACKEND,
        ),
        PanelOption(
            "--allow-env",
            metavar="NAME",
            multiple=True,
            help="Let the backend block of the folder use this variable of the environment, such as TF_VAR_region.",
            panel=BACKEND,
        ),
        PanelOption(
            "--allow-path",
            metavar="PATH",
            multiple=True,
            help="Let the folder or the operations file name states in this file or folder, although it is elsewhere.",
            panel=BACKEND,
        ),
        PanelOption(
            "--no-verify",
            is_flag=True,
            help="Do not verify certificates of servers: whoever is in between can read and change the state.",
            panel=BACKEND,
        ),
        PanelOption(
            "--debug",
            is_flag=True,
            help="Show each request to a backend on standard error, without credentials.",
            panel=BACKEND,
        ),
        # Most commands have it for encrypted states.
        external_option(BACKEND),
    )
    return [option for option in options if option.name not in own]


def use_backend_options(context: click.Context) -> None:
    """Put the options into the run. Raises BadParameter, also if a file is named for options of folders."""
    given = remembered_values(context)
    of_folder = [option for name, option in _OF_FOLDERS.items() if given.get(name) not in (None, ())]
    if of_folder and not all(map(_may_be_folder, _named(context))):
        raise click.BadParameter(
            "only the state of a folder has it, and a file is named here", context, param_hint=of_folder[0]
        )
    # Most runs are about a file; the other states of an edit may be elsewhere.
    if (
        not of_folder
        and not given.get("allow_path")
        and _is_file(context.params.get("state"))
        and not context.params.get("states")
    ):
        return
    from statefmt.locations import BackendOptions

    workspace, hosts = given.get("workspace"), tuple(given.get("allow_host") or ())
    variables, paths = tuple(given.get("allow_env") or ()), tuple(given.get("allow_path") or ())
    empty = {
        "--workspace": workspace == "",
        "--allow-host": "" in hosts,
        "--allow-env": "" in variables,
        "--allow-path": "" in paths,
    }
    for option, is_empty in empty.items():
        if is_empty:
            raise click.BadParameter("must not be empty", context, param_hint=option)
    run = current_run()
    options = BackendOptions(
        workspace=workspace,
        settings=tuple(given.get("backend_config") or ()),
        allowed_hosts=hosts,
        allowed_env=variables,
        allowed_paths=paths,
        allow_external=allows_external(context),
        verify=not given.get("no_verify"),
        agree=asking(),
        debug=_shown if given.get("debug") else None,
    )
    context.obj = replace(run, context=replace(run.context, backend=options))


def _named(context: click.Context) -> Iterator[str]:
    """Yield the states that the command line names."""
    for parameter in _STATES:
        value = context.params.get(parameter)
        yield from [value] if isinstance(value, str) else value or ()


# os.path returns False where a folder above may not be searched; Path raises.
def _may_be_folder(name: str) -> bool:
    return "://" in name or os.path.isdir(name)  # noqa: PTH112


def _is_file(name: object) -> bool:
    return isinstance(name, str) and os.path.isfile(name)  # noqa: PTH113


def _shown(text: str) -> None:
    say(f"debug: {text}")
