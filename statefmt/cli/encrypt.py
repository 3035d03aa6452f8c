"""`statetool encrypt`: a plain state in, an encrypted one out."""

from __future__ import annotations

import sys

from statefmt.cli.encrypted_target import DiscardPlainOption, Form, check_discarding, discard_copies, write_form
from statefmt.cli.encryption_option import needed_configuration
from statefmt.cli.options import StateArgument, StateOption, YesOption, one_state
from statefmt.cli.run import run_context
from statefmt.cli.target import InPlaceOption, OutputOption, chosen_target
from statefmt.encryption import SystemRandomness, decrypt, encrypt_checked, encrypts, parse_envelope
from statefmt.errors import ConfigurationError, EncryptionError
from statefmt.sealed import about
from statefmt.session import loaded, state_name
from statefmt.store.reading import display_name


def command(
    state: StateArgument = None,
    state_option: StateOption = None,
    output: OutputOption = None,
    in_place: InPlaceOption = False,
    discard_plain: DiscardPlainOption = False,
    yes: YesOption = False,
) -> int:
    """Encrypt a plain state as OpenTofu does, by the method that its configuration writes with.

    What the state says stays the same to the byte, and so do its serial and lineage. The result is decrypted again
    before it is written anywhere. With --discard-plain, the plain copies of a state that is encrypted already are
    deleted, too.
    """
    name = state_name(run_context(), one_state(state, state_option))
    target = chosen_target(name, output, in_place)
    check_discarding(discard_plain, target)
    configuration = needed_configuration()
    data = run_context().read(name)
    if not encrypts(configuration):
        raise ConfigurationError("the method that writes is of type unencrypted: nothing would be encrypted")
    with about(name):
        if parse_envelope(data) is not None:
            if not discard_plain:
                raise EncryptionError("this state is encrypted already; `statetool reencrypt` changes the method")
            # The command was killed before it deleted them, or was asked to do it only now. Without the right key,
            # the copies may be all that can be read.
            loaded(run_context(), name, decrypt(data, configuration).plain)
            print(f"{display_name(name)}: encrypted already; the state was not written", file=sys.stderr)
            return discard_copies(name, Form(data, is_plain=False), "encrypt")
        loaded(run_context(), name, data)
        encrypted = encrypt_checked(data, configuration, SystemRandomness())
    old, new = Form(data, is_plain=True), Form(encrypted, is_plain=False)
    return write_form(name, old, new, target, "encrypt", "encrypted", replace=yes, discard_plain=discard_plain)
