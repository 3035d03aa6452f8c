"""`statetool reconcile`: compares the state that an apply could not save with the stored one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Final

from typer import Argument, BadParameter, Option

import statefmt
from statefmt import Snapshot, State, StoreError
from statefmt.cli.command import declared, examples
from statefmt.cli.named_state import opened_state, state_name
from statefmt.cli.options.shared import FormatOption, OutputFormat, ShowSensitiveOption
from statefmt.cli.outcome import FINE, FOUND
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal
from statefmt.differences import reconcile
from statefmt.locations import STANDARD_INPUT, RemoteName
from statefmt.render.reconciliation import RecoveryPlaces, reconciliation_json, reconciliation_text, recovery_steps

# The files of init, the usual state, and the names of configuration files.
_OF_MODULES: Final = frozenset({".terraform", "terraform.tfstate"})
_CONFIGURATION: Final = (".tf", ".tf.json", ".tofu", ".tofu.json")


@examples(
    ("Show what to do with the state that an apply could not save.", "statetool reconcile errored.tfstate"),
    ("Compare it with the state at another place.", "statetool reconcile errored.tfstate --with s3://states/app"),
    (
        "Compare it with a state that only OpenTofu can open.",
        "tofu state pull | statetool reconcile errored.tfstate --with -",
    ),
)
@declared(paged=True, decrypts=True, connects=True)
def reconcile_command(
    errored: Annotated[
        str, Argument(metavar="ERRORED", help="The state that the apply left, usually errored.tfstate.")
    ],
    stored: Annotated[
        str | None,
        Option(
            "--with",
            "--state",
            metavar="STATE",
            help="The stored state: a file, a folder, a URL, or - for standard input; default: the folder of ERRORED.",
        ),
    ] = None,
    output_format: FormatOption = OutputFormat.TEXT,
    show_sensitive: ShowSensitiveOption = False,
) -> int:
    """Compare errored.tfstate with the stored state, and say what to do.

    An apply that cannot save its state writes errored.tfstate. Shows whether a plain `state push` suffices or someone
    else wrote the state in between, which objects only one of the two has, and the commands to run. Writes nothing.

    Exit status 0: nothing to do; 1: something to do; 2: failure.
    """
    if errored == stored == STANDARD_INPUT:
        raise BadParameter("only one of the two can come from standard input")
    folder = _folder(errored, stored)
    one = opened_state(errored)
    named = str(folder) if stored is None else stored
    other = statefmt.open(state_name(named, to_read=True), context=run_context(), read=False)
    found = reconcile(one.snapshot, _snapshot(other, stored))
    asked = run_context().backend
    places = RecoveryPlaces(
        errored, other.location, folder, (asked.workspace or "") if asked is not None else "", one.is_encrypted
    )
    steps = tuple(recovery_steps(found, places, show_sensitive=show_sensitive))
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(reconciliation_json(found, places, steps, show_sensitive=show_sensitive))
    else:
        for line in reconciliation_text(found, places, steps, result_terminal(), show_sensitive=show_sensitive):
            print(line)
    return FINE if found.is_settled else FOUND


def _folder(errored: str, stored: str | None) -> Path:
    """Return the folder of the configuration: the folder named as the state, else the folder of the errored state.

    Raises StoreError if no state is named, and the folder is not a root module.
    """
    # os.path returns False if a parent may not be searched; Path raises.
    if stored is not None and os.path.isdir(stored):  # noqa: PTH112
        return Path(stored)
    folder = Path() if errored == STANDARD_INPUT else Path(errored).parent
    if _is_root_module(folder):
        return folder
    if stored is None:
        raise StoreError(
            f"{folder}: this folder has no configuration, so its stored state is not known; name the state with --with"
        )
    return Path()


def _is_root_module(folder: Path) -> bool:
    try:
        return any(name in _OF_MODULES or name.endswith(_CONFIGURATION) for name in os.listdir(folder))  # noqa: PTH208
    except OSError:
        return False


def _snapshot(state: State, named: str | None) -> Snapshot | None:
    """Return the snapshot of the stored state; None if none is stored. A named file must exist."""
    is_place = named is None or isinstance(state.location, RemoteName) or os.path.isdir(named)  # noqa: PTH112
    return None if is_place and not state.exists() else state.snapshot
