"""`statetool reencrypt`: from whatever method reads a state to the one that writes."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from statefmt.cli.encrypted_target import DiscardPlainOption, Form, check_discarding, discard_copies, write_form
from statefmt.cli.encryption_option import needed_configuration
from statefmt.cli.exit_status import FAILED, FINE, FOUND
from statefmt.cli.failure import show_failure
from statefmt.cli.options import FormatOption, OutputFormat, StateOption, StatesArgument, YesOption
from statefmt.cli.run import run_context
from statefmt.cli.streams import listed_name, say
from statefmt.cli.target import InPlaceOption, OutputOption, Target, chosen_target
from statefmt.encryption import Configuration, Layout, Opened, SystemRandomness, decrypt, encrypt_checked, encrypts
from statefmt.encryption.description import CheckedEncryption
from statefmt.errors import EncryptionError, StatetoolError
from statefmt.sealed import about
from statefmt.session import loaded, state_name
from statefmt.store.reading import STANDARD_INPUT, display_name


def command(
    states: StatesArgument = None,
    state: StateOption = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; list the states that a fallback reads (exit status 1)."),
    ] = False,
    anew: Annotated[
        bool,
        typer.Option("--anew", help="Also states of the first method: with new salts, and the iterations of now."),
    ] = False,
    output: OutputOption = None,
    in_place: InPlaceOption = False,
    discard_plain: DiscardPlainOption = False,
    yes: YesOption = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Encrypt states by the first method of a configuration that a fallback reads, as OpenTofu does at its next write.

    So a passphrase is changed: a new key provider and method come first, and the old method becomes the fallback. What
    a state says stays the same to the byte. A plain state is encrypted where a fallback is of type unencrypted.
    """
    names = [*(states or ()), *([state] if state else ())] or [state_name(run_context(), None)]
    if check and (in_place or output is not None or anew):
        raise typer.BadParameter("writes nothing, and goes with no option that does", param_hint="--check")
    if output_format is OutputFormat.JSON and not check:
        raise typer.BadParameter("goes with --check, which shows something", param_hint="--format")
    if len(names) > 1 and not (in_place or check):
        raise typer.BadParameter("of several states is possible with --in-place or --check only", param_hint="STATE")
    targets = [chosen_target(name, output, in_place) for name in names]
    for target in targets:
        check_discarding(discard_plain, target)
    configuration = needed_configuration()
    for target in targets:
        check_discarding(discard_plain, target, configuration)
    if check:
        return _check(names, configuration, output_format)
    status = FINE
    for name, target in zip(names, targets, strict=True):
        try:
            data = run_context().read(name)
            with about(name):
                opened = _opened(name, data, configuration)
                new = _new_form(data, opened, configuration, target, anew=anew, yes=yes)
            if new is None:
                say(f"{name}: read by {opened.method}, the method that writes; nothing was written")
                if discard_plain:
                    status = max(status, discard_copies(name, Form(data, is_plain=False), "reencrypt"))
                continue
            first = next(configuration.targets["state"].chain())
            done = f"from {opened.method} to {first}"
            old = Form(data, opened.envelope is None)
            written = write_form(name, old, new, target, "reencrypt", done, replace=yes, discard_plain=discard_plain)
            status = max(status, written)
        except StatetoolError as error:
            show_failure(error)
            status = FAILED
    return status


def _check(names: list[str], configuration: Configuration, output_format: OutputFormat) -> int:
    """Tell which states the first method does not read; everything is told before the worst exit status is given."""
    status = FINE
    checked: list[CheckedEncryption] = []
    for name in names:
        try:
            data = run_context().read(name)
            with about(name):
                opened = _opened(name, data, configuration)
            found = CheckedEncryption(display_name(name), opened.envelope is not None, opened.method, opened.is_current)
            status = max(status, FINE if opened.is_current else FOUND)
        except StatetoolError as error:
            show_failure(error)
            found = CheckedEncryption(display_name(name), error=str(error))
            status = FAILED
        checked.append(found)
        if output_format is OutputFormat.TEXT and not found.error and not found.is_current:
            print(listed_name(name))
    if output_format is OutputFormat.JSON:
        from statefmt.render.encryption_json import reencrypt_json

        sys.stdout.buffer.write(reencrypt_json(checked))
    return status


def _opened(name: str, data: bytes, configuration: Configuration) -> Opened:
    opened = decrypt(data, configuration)
    # What comes out is looked at, too: it must be a state.
    loaded(run_context(), name, opened.plain)
    return opened


def _new_form(
    data: bytes, opened: Opened, configuration: Configuration, target: Target, *, anew: bool, yes: bool
) -> Form | None:
    """What to write; None where the file is as it should be already."""
    if opened.is_current and not anew:
        return None if target.in_place else Form(data, opened.envelope is None)
    is_plain = not encrypts(configuration)
    if is_plain and target.path == STANDARD_INPUT and sys.stdout.isatty() and not yes:
        raise EncryptionError(
            "the secrets of the state would stand on the terminal; -o writes a file, and --yes does it all the same"
        )
    layout = Layout.COMPACT if opened.envelope is None else opened.envelope.layout
    return Form(encrypt_checked(opened.plain, configuration, SystemRandomness(), layout), is_plain)
