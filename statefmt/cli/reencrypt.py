"""`statetool reencrypt`: from whatever method reads a state to the one that writes."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from statefmt.cli.encrypted_target import write_form
from statefmt.cli.encryption_option import about, needed_configuration
from statefmt.cli.exit_status import FAILED, FINE, FOUND
from statefmt.cli.failure import show_failure
from statefmt.cli.options import StateOption, StatesArgument, YesOption
from statefmt.cli.target import InPlaceOption, OutputOption, Target, chosen_target
from statefmt.encryption import Configuration, Layout, Opened, SystemRandomness, decrypt, encrypt_checked, encrypts
from statefmt.errors import EncryptionError, StatetoolError
from statefmt.session import loaded, state_name
from statefmt.store.reading import STANDARD_INPUT
from statefmt.store.settled import read_settled


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
    yes: YesOption = False,
) -> int:
    """Encrypt states by the first method of a configuration that a fallback reads, as OpenTofu does at its next write.

    So a passphrase is changed: a new key provider and method come first, and the old method becomes the fallback. What
    a state says stays the same to the byte. A plain state is encrypted where a fallback is of type unencrypted.
    """
    names = [*(states or ()), *([state] if state else ())] or [state_name(None)]
    if check and (in_place or output is not None or anew):
        raise typer.BadParameter("writes nothing, and goes with no option that does", param_hint="--check")
    if len(names) > 1 and not (in_place or check):
        raise typer.BadParameter("of several states is possible with --in-place or --check only", param_hint="STATE")
    targets = [chosen_target(name, output, in_place) for name in names]
    configuration = needed_configuration()
    status = FINE
    for name, target in zip(names, targets, strict=True):
        try:
            data = read_settled(name)
            with about(name):
                opened = _opened(name, data, configuration)
                if not check:
                    _write(name, data, opened, configuration, target, anew=anew, replace=yes)
            if check and not opened.is_current:
                print(name)
                status = max(status, FOUND)
        except StatetoolError as error:
            show_failure(error)
            status = FAILED
    return status


def _opened(name: str, data: bytes, configuration: Configuration) -> Opened:
    opened = decrypt(data, configuration)
    # What comes out is looked at, too: it must be a state.
    loaded(name, opened.plain)
    return opened


def _write(
    name: str, data: bytes, opened: Opened, configuration: Configuration, target: Target, *, anew: bool, replace: bool
) -> None:
    if opened.is_current and not anew:
        if target.in_place:
            print(f"{name}: read by {opened.method}, the method that writes; nothing was written", file=sys.stderr)
            return
        encrypted = data
    else:
        if not encrypts(configuration) and target.path == STANDARD_INPUT and sys.stdout.isatty() and not replace:
            raise EncryptionError(
                "the secrets of the state would stand on the terminal; -o writes a file, and --yes does it all the same"
            )
        layout = Layout.COMPACT if opened.envelope is None else opened.envelope.layout
        encrypted = encrypt_checked(opened.plain, configuration, SystemRandomness(), layout)
    first = next(configuration.targets["state"].chain())
    write_form(name, data, encrypted, target, "reencrypt", f"from {opened.method} to {first}", replace=replace)
