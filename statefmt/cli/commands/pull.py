"""`statetool pull`: prints a state."""

from __future__ import annotations

import sys

from statefmt import EncryptionError
from statefmt.cli.command import declared
from statefmt.cli.named_state import opened_state
from statefmt.cli.options.shared import StateArgument, StateOption, VersionOption, one_state
from statefmt.cli.outcome import FINE
from statefmt.cli.streams import write_result


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Save a copy of the state of the current workspace.", "statetool pull > copy.tfstate"),
        (
            "Save an earlier version, which the bucket keeps.",
            "statetool pull --version 3HL4kqtJlcpXroDTDmJ > old.tfstate",
        ),
        ("Read an encrypted state with jq.", "statetool pull --encryption key.hcl prod.tfstate | jq .serial"),
    ),
)
def pull_command(state: StateArgument = None, state_option: StateOption = None, version: VersionOption = None) -> int:
    """Print a state as it is stored, or decrypted if it is encrypted.

    Like `tofu state pull`, but without a conversion: `statetool upgrade` prints older formats in the current one. The
    secrets of an encrypted state are not printed on a terminal.
    """
    opened = opened_state(one_state(state, state_option), version)
    if opened.is_encrypted and sys.stdout.isatty():
        raise EncryptionError("refusing to print the secrets of a state to the terminal; redirect the output to a file")
    write_result(opened.data)
    return FINE
