"""`statetool decrypt`: an encrypted state in, a plain one out."""

from __future__ import annotations

import sys

from statefmt.cli.encrypted_target import Form, write_form
from statefmt.cli.encryption_option import needed_configuration
from statefmt.cli.options import StateArgument, StateOption, YesOption, one_state
from statefmt.cli.run import run_context
from statefmt.cli.target import InPlaceOption, OutputOption, chosen_target
from statefmt.encryption import decrypt, glance
from statefmt.errors import EncryptionError
from statefmt.sealed import about
from statefmt.session import loaded, state_name
from statefmt.store.reading import STANDARD_INPUT


def command(
    state: StateArgument = None,
    state_option: StateOption = None,
    output: OutputOption = None,
    in_place: InPlaceOption = False,
    yes: YesOption = False,
) -> int:
    """Write an encrypted state in plain text, to the byte as it was when it was encrypted.

    All secrets of the state are readable then: a new file can be read by its owner only, and a terminal is written to
    with --yes only.
    """
    name = state_name(run_context(), one_state(state, state_option))
    target = chosen_target(name, output, in_place)
    if target.path == STANDARD_INPUT and sys.stdout.isatty() and not yes:
        raise EncryptionError(
            "the secrets of the state would stand on the terminal; -o writes a file, and --yes does it all the same"
        )
    configuration = needed_configuration()
    data = run_context().read(name)
    with about(name):
        if glance(data) is None:
            loaded(run_context(), name, data)
            raise EncryptionError("this state is not encrypted")
        opened = decrypt(data, configuration)
        # What comes out is looked at, too: it must be a state.
        loaded(run_context(), name, opened.plain)
    old, new = Form(data, is_plain=False), Form(opened.plain, is_plain=True)
    return write_form(name, old, new, target, "decrypt", f"decrypted by {opened.method}", replace=yes)
