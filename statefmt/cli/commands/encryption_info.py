"""`statetool encryption-info`: shows the envelope of an encrypted state, and which method decrypts it."""

from __future__ import annotations

import sys

from statefmt.cli.exit_status import FINE
from statefmt.cli.named_state import state_name
from statefmt.cli.options.shared import FormatOption, OutputFormat, StateArgument, StateOption, one_state
from statefmt.cli.options.takes import declared
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal
from statefmt.edit.session import loaded
from statefmt.encryption import decrypt, parse_envelope
from statefmt.locations import display_name
from statefmt.sealed import about


@declared(
    paged=True,
    decrypts=True,
    connects=True,
    examples=(
        ("Show how the state of this directory is encrypted.", "statetool encryption-info"),
        ("Also show which method decrypts it.", "statetool encryption-info --encryption encryption.tofu prod.tfstate"),
    ),
)
def encryption_info_command(
    state: StateArgument = None, state_option: StateOption = None, output_format: FormatOption = OutputFormat.TEXT
) -> int:
    """Show how a state is encrypted: its serial, its lineage and the metadata of each key provider. No key is needed.

    With a configuration, also show which method decrypts it, and whether that is a fallback. No values of the state are
    shown.
    """
    name = state_name(one_state(state, state_option), to_read=True)
    found = run_context().configuration()
    data = run_context().read(name)
    with about(name):
        envelope = parse_envelope(data)
        if envelope is None:
            # Refuse what is neither encrypted nor a state.
            loaded(run_context(), name, data)
        opened = None if found is None else decrypt(data, found)
    if output_format is OutputFormat.JSON:
        from statefmt.render.encryption import encryption_json

        sys.stdout.buffer.write(encryption_json(envelope, opened))
    else:
        from statefmt.render.encryption import encryption_text

        print(encryption_text(display_name(name), envelope, opened, result_terminal()))
    return FINE
