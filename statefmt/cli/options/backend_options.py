"""The options about the state of a folder, and about what a run allows on the way to its backend."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, NamedTuple

from typer import BadParameter, Option

from statefmt.cli.confirmation import asking
from statefmt.cli.options.encryption_files import EXTERNAL_HELP, allows_external
from statefmt.cli.options.groups import BACKEND, FOLDER
from statefmt.cli.run import current_run, use_run
from statefmt.cli.streams import say

_OF_FOLDERS: Final = {"workspace": "--workspace", "backend_config": "--backend-config"}
# The parameters that name states, which must then be folders, or URLs.
_STATES: Final = ("state", "state_option", "states", "old", "new", "stored")


class FolderOptions(NamedTuple):
    """The options of commands that find the state of a folder."""

    workspace: Annotated[
        str | None,
        Option(
            "--workspace",
            metavar="WORKSPACE",
            help="Use the state of this workspace, not that of TF_WORKSPACE or the selected one.",
            rich_help_panel=FOLDER,
        ),
    ] = None
    backend_config: Annotated[
        list[str] | None,
        Option(
            metavar="KEY=VALUE|FILE", help="Set arguments of the backend block, as for init.", rich_help_panel=FOLDER
        ),
    ] = None


class ConnectionOptions(NamedTuple):
    """The options of commands that open states."""

    allow_host: Annotated[
        list[str] | None,
        Option(
            metavar="HOST",
            help="Send credentials of the environment to this host, although only the folder names it.",
            rich_help_panel=BACKEND,
        ),
    ] = None
    allow_env: Annotated[
        list[str] | None,
        Option(
            metavar="NAME",
            help="Let the backend block of the folder use this variable of the environment, such as TF_VAR_region.",
            rich_help_panel=BACKEND,
        ),
    ] = None
    allow_path: Annotated[
        list[str] | None,
        Option(
            metavar="PATH",
            help="Let the folder or the operations file name states in this file or folder, although it is elsewhere.",
            rich_help_panel=BACKEND,
        ),
    ] = None
    no_verify: Annotated[
        bool,
        Option(
            "--no-verify",
            help="Do not verify certificates of servers: whoever is in between can read and change the state.",
            rich_help_panel=BACKEND,
        ),
    ] = False
    debug: Annotated[
        bool,
        Option(
            "--debug",
            help="Show each request to a backend on standard error, without credentials.",
            rich_help_panel=BACKEND,
        ),
    ] = False
    # Most commands have it for encrypted states.
    allow_external: Annotated[bool, Option("--allow-external", help=EXTERNAL_HELP, rich_help_panel=BACKEND)] = False


def use_backend_options(given: Mapping[str, Any]) -> None:
    """Put the options of a command into the run. Raises BadParameter, also if options of folders are for a file."""
    of_folder = [option for name, option in _OF_FOLDERS.items() if given.get(name) is not None]
    if of_folder and not all(map(_may_be_folder, _named(given))):
        raise BadParameter("only the state of a folder has it, and a file is named here", param_hint=of_folder[0])
    # Most runs are about a file; the other states of an edit may be elsewhere.
    if not of_folder and not given.get("allow_path") and _is_file(given.get("state")) and not given.get("states"):
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
            raise BadParameter("must not be empty", param_hint=option)
    run = current_run()
    options = BackendOptions(
        workspace=workspace,
        settings=tuple(given.get("backend_config") or ()),
        allowed_hosts=hosts,
        allowed_env=variables,
        allowed_paths=paths,
        allow_external=allows_external(given),
        verify=not given.get("no_verify"),
        agree=asking(),
        debug=_shown if given.get("debug") else None,
    )
    use_run(replace(run, context=replace(run.context, backend=options)))


def _named(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the states that the command line names."""
    for parameter in _STATES:
        value = given.get(parameter)
        yield from [value] if isinstance(value, str) else value or ()


# os.path returns False where a folder above may not be searched; Path raises.
def _may_be_folder(name: str) -> bool:
    return "://" in name or os.path.isdir(name)  # noqa: PTH112


def _is_file(name: object) -> bool:
    return isinstance(name, str) and os.path.isfile(name)  # noqa: PTH113


def _shown(text: str) -> None:
    say(f"debug: {text}")
