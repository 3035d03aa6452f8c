"""`statetool reencrypt`: encrypts states with the first method of a configuration."""

from __future__ import annotations

import sys
from typing import Annotated

from typer import BadParameter, Option

from statefmt import StatetoolError
from statefmt.cli.encrypted_target import (
    DiscardPlainOption,
    EncryptionChange,
    Form,
    check_discarding,
    check_local,
    opened_state,
    refuse_on_terminal,
    write_form,
)
from statefmt.cli.exit_status import FAILED, FINE, FOUND
from statefmt.cli.failure import show_failure
from statefmt.cli.named_state import state_name
from statefmt.cli.options.encryption_option import needed_configuration
from statefmt.cli.options.shared import FormatOption, OutputFormat, StateOption, StatesArgument
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.options.write import WriteOptions, write_options
from statefmt.cli.run import run_context
from statefmt.cli.streams import listed_name, say
from statefmt.cli.target import InPlaceOption
from statefmt.edit.session import LoadedState
from statefmt.encryption import EncryptionConfiguration, EnvelopeLayout, SystemRandomness, encrypt_checked, encrypts
from statefmt.encryption.key_providers import CheckedEncryption
from statefmt.locations import display_name
from statefmt.sealed import about


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        (
            "List the states that are not yet encrypted with the current method.",
            "statetool reencrypt --check --encryption new.tofu *.tfstate",
        ),
        ("Encrypt them with it.", "statetool reencrypt --in-place --encryption new.tofu *.tfstate"),
    ),
)
@takes(options=write_options)
def reencrypt_command(
    states: StatesArgument = None,
    state: StateOption = None,
    check: Annotated[
        bool, Option("--check", help="Write nothing; list the states that a fallback decrypts (exit status 1).")
    ] = False,
    anew: Annotated[
        bool,
        Option(
            "--anew",
            help="Also encrypt states of the first method again, with new salts and the configured iterations.",
        ),
    ] = False,
    in_place: InPlaceOption = False,
    discard_plain: DiscardPlainOption = False,
    output_format: FormatOption = OutputFormat.TEXT,
    *,
    options: WriteOptions,
) -> int:
    """Encrypt states with the first method of a configuration if a fallback decrypts them, as OpenTofu's writes do.

    To change a passphrase, add a new key provider and method, and make the old method the fallback. The contents stay
    the same to the byte. A plain state is encrypted if a fallback is of type unencrypted.
    """
    names = [*(states or ()), *([state] if state else ())] or [state_name(None)]
    if check and (in_place or options.out is not None or options.dry_run or anew):
        raise BadParameter("cannot be combined with --in-place, --out, --dry-run or --anew", param_hint="--check")
    if output_format is OutputFormat.JSON and not check:
        raise BadParameter("requires --check", param_hint="--format")
    if len(names) > 1 and not (in_place or check):
        raise BadParameter("several states require --in-place or --check", param_hint="STATE")
    targets = [options.target(name, in_place) for name in names]
    check_discarding(discard_plain, in_place)
    configuration = needed_configuration()
    check_discarding(discard_plain, in_place, configuration)
    if check:
        return _check(names, configuration, output_format)
    status = FINE
    for given, target in zip(names, targets, strict=True):
        try:
            name = state_name(given)
            check_local(discard_plain, name)
            status = max(status, _reencrypt(name, target, options, configuration, anew, discard_plain))
        except StatetoolError as error:
            show_failure(error)
            status = FAILED
    return status


def _reencrypt(
    name: str,
    target: str | None,
    options: WriteOptions,
    configuration: EncryptionConfiguration,
    anew: bool,
    discard_plain: bool,
) -> int:
    first = next(configuration.targets["state"].chain())

    def change(state: LoadedState) -> EncryptionChange:
        assert state.seal is not None
        opened = state.seal.opened
        old = Form(state.stored, opened.envelope is None)
        if opened.is_current and not anew:
            if target is None:
                say(f"{name}: already uses {opened.method}, the first method; nothing was written")
            return EncryptionChange(old, old, f"from {opened.method} to {first}")
        is_plain = not encrypts(configuration)
        with about(name):
            if is_plain:
                refuse_on_terminal(target, options)
            layout = EnvelopeLayout.COMPACT if opened.envelope is None else opened.envelope.layout
            new = Form(encrypt_checked(opened.plain, configuration, SystemRandomness(), layout), is_plain)
        return EncryptionChange(old, new, f"from {opened.method} to {first}")

    def opening(data: bytes) -> LoadedState:
        return opened_state(name, data, configuration)[0]

    return write_form(name, target, options, "reencrypt", opening, change, discard_plain=discard_plain)[1]


def _check(names: list[str], configuration: EncryptionConfiguration, output_format: OutputFormat) -> int:
    """List the states that the first method does not decrypt, and return the worst exit status."""
    status = FINE
    checked: list[CheckedEncryption] = []
    for given in names:
        name = given
        try:
            name = state_name(given, to_read=True)
            data = run_context().read(name)
            _, opened = opened_state(name, data, configuration)
            found = CheckedEncryption(
                name=display_name(name),
                is_encrypted=opened.envelope is not None,
                method=opened.method,
                is_current=opened.is_current,
            )
            status = max(status, FINE if opened.is_current else FOUND)
        except StatetoolError as error:
            show_failure(error)
            found = CheckedEncryption(display_name(name), error=error.on_command_line)
            status = FAILED
        checked.append(found)
        if output_format is OutputFormat.TEXT and not found.error and not found.is_current:
            print(listed_name(name))
    if output_format is OutputFormat.JSON:
        from statefmt.render.encryption import reencrypt_json

        sys.stdout.buffer.write(reencrypt_json(checked))
    return status
