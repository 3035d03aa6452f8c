"""`statetool decrypt`: writes an encrypted state in plain text."""

from __future__ import annotations

from statefmt import EncryptionError
from statefmt.cli.encrypted_target import EncryptionChange, Form, opened_state, refuse_on_terminal, write_form
from statefmt.cli.named_state import state_name
from statefmt.cli.options.encryption_option import needed_configuration
from statefmt.cli.options.shared import StateArgument, StateOption, one_state
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.options.write import WriteOptions, write_options
from statefmt.cli.run import run_context
from statefmt.cli.target import InPlaceOption
from statefmt.edit.session import LoadedState, loaded
from statefmt.encryption import glance
from statefmt.sealed import about


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        (
            "Write the plain state to another file.",
            "statetool decrypt --encryption encryption.tofu -o plain.tfstate prod.tfstate",
        ),
        ("Pass it to another program.", "statetool decrypt --encryption encryption.tofu prod.tfstate | jq .serial"),
    ),
)
@takes(options=write_options)
def decrypt_command(
    state: StateArgument = None,
    state_option: StateOption = None,
    in_place: InPlaceOption = False,
    *,
    options: WriteOptions,
) -> int:
    """Decrypt a state to the exact bytes that were encrypted.

    The result has all secrets in plain text. A new file is readable only by its owner; printing to a terminal needs
    --yes.
    """
    name = state_name(one_state(state, state_option))
    target = options.target(name, in_place)
    refuse_on_terminal(target, options)
    configuration = needed_configuration()

    def opening(data: bytes) -> LoadedState:
        with about(name):
            if glance(data) is None:
                loaded(run_context(), name, data)
                raise EncryptionError("this state is not encrypted")
        return opened_state(name, data, configuration)[0]

    def change(state: LoadedState) -> EncryptionChange:
        assert state.seal is not None
        old, new = Form(state.stored, is_plain=False), Form(state.data, is_plain=True)
        return EncryptionChange(old, new, f"decrypted by {state.seal.opened.method}")

    return write_form(name, target, options, "decrypt", opening, change)[1]
