"""`statetool encrypt`: encrypts a plain state."""

from __future__ import annotations

import sys

from statefmt import ConfigurationError, EncryptionError
from statefmt.cli.encrypted_target import (
    DiscardPlainOption,
    EncryptionChange,
    Form,
    check_discarding,
    check_local,
    discard_copies,
    opened_state,
    write_form,
)
from statefmt.cli.named_state import state_name
from statefmt.cli.options.encryption_option import needed_configuration
from statefmt.cli.options.shared import StateArgument, StateOption, one_state
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.options.write import WriteOptions, write_options
from statefmt.cli.run import run_context
from statefmt.cli.target import InPlaceOption
from statefmt.edit.session import LoadedState, loaded
from statefmt.encryption import SystemRandomness, encrypt_checked, encrypts, parse_envelope
from statefmt.locations import display_name
from statefmt.sealed import about


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Encrypt a state file.", "statetool encrypt --encryption encryption.tofu --in-place prod.tfstate"),
        (
            "Also delete its backups in plain text.",
            "statetool encrypt --encryption encryption.tofu --in-place --discard-plain",
        ),
        (
            "Write the encrypted state to another file.",
            "statetool encrypt --encryption encryption.tofu -o new.tfstate old.tfstate",
        ),
    ),
)
@takes(options=write_options)
def encrypt_command(
    state: StateArgument = None,
    state_option: StateOption = None,
    in_place: InPlaceOption = False,
    discard_plain: DiscardPlainOption = False,
    *,
    options: WriteOptions,
) -> int:
    """Encrypt a plain state as OpenTofu does, with the first method of its configuration.

    The contents stay the same to the byte, including serial and lineage. The result is decrypted as a check before it
    is written. With --discard-plain, the plain copies of a state that is already encrypted are deleted, too.
    """
    name = state_name(one_state(state, state_option))
    target = options.target(name, in_place)
    check_discarding(discard_plain, in_place)
    check_local(discard_plain, name)
    configuration = needed_configuration()
    if not encrypts(configuration):
        raise ConfigurationError("the first method is of type unencrypted: nothing would be encrypted")
    context = run_context()
    if discard_plain and not options.dry_run:
        data = context.read(name)
        with about(name):
            is_encrypted = parse_envelope(data) is not None
        if is_encrypted:
            # An earlier run was killed before it deleted them, or had no --discard-plain. Check the key first: without
            # it, the copies may be the only readable ones.
            opened_state(name, data, configuration)
            print(f"{display_name(name)}: already encrypted; the state was not written", file=sys.stderr)
            return discard_copies(name, Form(data, is_plain=False), "encrypt")

    def opening(data: bytes) -> LoadedState:
        with about(name):
            if parse_envelope(data) is not None:
                raise EncryptionError("this state is already encrypted; use `statetool reencrypt` to change the method")
        return loaded(context, name, data)

    def change(state: LoadedState) -> EncryptionChange:
        with about(name):
            encrypted = encrypt_checked(state.data, configuration, SystemRandomness())
        return EncryptionChange(Form(state.data, is_plain=True), Form(encrypted, is_plain=False), "encrypted")

    return write_form(name, target, options, "encrypt", opening, change, discard_plain=discard_plain)[1]
