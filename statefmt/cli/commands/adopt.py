"""`statetool adopt`: moves the objects of a state to the instances of a new configuration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Final

from typer import BadParameter, Option

from statefmt import AddressError, Edit, Snapshot, StoreError, SurgeryError
from statefmt.addrs import AbsResourceInstance, parse_abs_resource_instance
from statefmt.cli.command import declared, takes
from statefmt.cli.many_states import place_in, save_operations, short_names, source_block
from statefmt.cli.named_state import opened_state
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options, report_problems
from statefmt.cli.options.shared import (
    AgreedOption,
    FormatOption,
    OutputFormat,
    ShowSensitiveOption,
    StateArgument,
    StateOption,
    one_state,
    seconds,
)
from statefmt.cli.options.write import LockOption, LockTimeoutOption, NoBackupOption, WriteOptions
from statefmt.cli.outcome import FINE, FOUND, UsageError
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say, write_result
from statefmt.cli.surgery import Plan, SurgeryOptions, carry_out
from statefmt.locations import GIT, STANDARD_INPUT
from statefmt.text import pattern

if TYPE_CHECKING:
    from statefmt.adoption import Adoption
    from statefmt.providers import ProviderReferences

# A key in an address may have an equals sign.
_PAIR: Final = pattern(r'((?:[^="]|"(?:[^"\\]|\\.)*")+)=(.+)')


@declared(
    paged=True,
    decrypts=True,
    connects=True,
    examples=(
        ("Show where each object belongs in the new configuration.", "statetool adopt --config ."),
        ("Write the moves and bindings to a file, for review.", "statetool adopt --config . -o adopt.stateops.hcl"),
        (
            "Compare with the configuration before the change, in git.",
            "statetool adopt --config . --from-config git:HEAD~1",
        ),
        ("Move everything that is certain.", "statetool adopt --config . --yes"),
    ),
)
@takes(configuration=configuration_options)
def adopt_command(
    state: StateArgument = None,
    state_option: StateOption = None,
    from_config: Annotated[
        str | None,
        Option(
            "--from-config",
            metavar="DIR|git:REV[:DIR]",
            help="The configuration that the state was written with: a directory, or a revision in git; default: HEAD "
            "if --config is in a repository.",
        ),
    ] = None,
    pair: Annotated[
        list[str] | None,
        Option("--pair", metavar="OLD=NEW", help="Decide a choice: OLD belongs to NEW; can be repeated."),
    ] = None,
    out: Annotated[
        str | None, Option("--out", "-o", metavar="FILE", help="Write an operations file, or print it if -.")
    ] = None,
    output_format: FormatOption = OutputFormat.TEXT,
    no_backup: NoBackupOption = False,
    lock: LockOption = True,
    lock_timeout: LockTimeoutOption = "0s",
    yes: AgreedOption = False,
    show_sensitive: ShowSensitiveOption = False,
    *,
    configuration: ConfigurationOptions,
) -> int:
    """Find where the objects of a state belong in a new configuration, as after a change to for_each.

    Compares the arguments of the old provider blocks with those of the new instances, the attributes of objects with
    their new arguments, then names. A pair is certain if nothing fits either of both as well; all others are choices,
    which are listed and never taken. --yes moves and rebinds the certain pairs; without it and --out, nothing is
    written.

    Exit status 0: everything is decided; 1: choices or refused pairs remain.
    """
    if configuration.directory is None:
        raise UsageError("Missing option '--config': the directory of the new configuration.")
    if yes and out is not None:
        raise BadParameter("cannot be combined with --yes: apply the file instead", param_hint="--out")
    if output_format is OutputFormat.JSON and (yes or out == STANDARD_INPUT):
        raise BadParameter("cannot be combined with --yes and --out -", param_hint="--format")
    timeout = seconds(lock_timeout, "--lock-timeout")
    given = dict(map(_pair, pair or ()))
    new = configuration.loaded()
    assert new is not None
    name = one_state(state, state_option)
    opened = opened_state(name)
    from statefmt.adoption import adopt, adopted, adoption_operations, without_conflicts
    from statefmt.rules import CONFIGURATION_NOT_KNOWN, check_configuration

    report_problems(list(check_configuration(new, select=CONFIGURATION_NOT_KNOWN)))
    with _old_configuration(configuration, from_config) as old:

        def found_in(snapshot: Snapshot) -> Adoption:
            return without_conflicts(snapshot, adopt(snapshot, new, old, given))

        run_context().phase("comparing")
        found = found_in(opened.snapshot)
        if not yes:
            _show(found, opened.snapshot, new, output_format, to_messages=out == STANDARD_INPUT)
        if found.pairs and old is None and from_config is None:
            say("statetool: no old configuration was compared; name one with --from-config")
        if out is not None and found.pairs:
            save_operations(out, _operations_text(name, out, opened.snapshot, found))
        elif out is not None:
            say("statetool: nothing is certain; no file was written")
        if yes and found.pairs:

            def operation(snapshot: Snapshot) -> Edit:
                if found_in(snapshot).pairs != found.pairs:
                    raise SurgeryError("the state has changed since it was read; run adopt again")
                return adopted(snapshot, adoption_operations(snapshot, found))

            write = WriteOptions(None, None, no_backup, False, lock, timeout, None, None, True)
            options = SurgeryOptions(name, write, show_sensitive, configuration)
            carry_out(Plan("adopt", operation, references=new), options)
            print()
        if yes:
            _show(found, opened.snapshot, new, output_format, to_messages=False)
    return FINE if found.is_decided else FOUND


def _pair(text: str) -> tuple[AbsResourceInstance, AbsResourceInstance]:
    found = _PAIR.fullmatch(text)
    if found is None:
        raise BadParameter("write OLD=NEW, with addresses of instances", param_hint="--pair")
    try:
        return parse_abs_resource_instance(found[1]), parse_abs_resource_instance(found[2])
    except AddressError as error:
        raise BadParameter(str(error), param_hint="--pair") from error


@contextmanager
def _old_configuration(configuration: ConfigurationOptions, name: str | None) -> Iterator[ProviderReferences | None]:
    """Yield the old configuration; without a name, that of HEAD, or None if there is none."""
    from statefmt.adoption import folder_of_revision

    assert configuration.directory is not None
    if name is not None and not name.startswith(GIT):
        yield configuration._replace(directory=name).loaded()
        return
    with ExitStack() as stack:
        try:
            name_of_old = name or f"{GIT}HEAD"
            folder = stack.enter_context(
                folder_of_revision(name_of_old, configuration.directory, run_context().environment)
            )
        except StoreError:
            if name is not None:
                raise
            yield None
            return
        yield configuration._replace(directory=str(folder)).loaded()


def _show(
    found: Adoption, snapshot: Snapshot, new: ProviderReferences, output_format: OutputFormat, *, to_messages: bool
) -> None:
    from statefmt.adoption import adoption_moves
    from statefmt.render.adoption import adoption_blocks, adoption_json, adoption_text

    blocks = adoption_blocks(found, adoption_moves(snapshot, found), new)
    if output_format is OutputFormat.JSON:
        write_result(adoption_json(found, blocks))
        return
    text = adoption_text(found, result_terminal()) + (f"\n\n{blocks.rstrip()}" if blocks else "")
    if to_messages:
        say(text)
    else:
        print(text)


def _operations_text(state: str | None, out: str, snapshot: Snapshot, found: Adoption) -> str:
    from statefmt.adoption import adoption_operations
    from statefmt.operations_files import operations_text

    short = short_names([state])[state]
    states = {short: source_block(state, place_in(out))}
    return operations_text(states, adoption_operations(snapshot, found, short))
