"""`statetool adopt`: moves the objects of a state to the instances of a new configuration."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from typer import BadParameter, Option

from statefmt import AddressError, Edit, Snapshot, SurgeryError
from statefmt.addrs import AbsResourceInstance, parse_abs_resource_instance
from statefmt.adoption import (
    Adoption,
    Unrolled,
    adopt,
    adopt_copies,
    adopted,
    adoption_moves,
    adoption_operations,
    without_conflicts,
)
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.many_states import place_in, save_operations, short_names, source_block
from statefmt.cli.named_state import opened_state
from statefmt.cli.old_configuration import known_configuration, old_configuration, report_configuration
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options
from statefmt.cli.options.shared import (
    CONFIGURATION,
    AgreedOption,
    FormatOption,
    OutputFormat,
    ShowSensitiveOption,
    StateArgument,
    StateOption,
    one_state,
    seconds,
)
from statefmt.cli.options.write import LockOption, LockTimeoutOption, NoBackupOption
from statefmt.cli.outcome import FINE, FOUND, UsageError
from statefmt.cli.run import command_line, run_context
from statefmt.cli.streams import result_terminal, say, write_result
from statefmt.cli.surgery import SurgeryOptions, carry_out
from statefmt.locations import GIT, STANDARD_INPUT, workspace_of
from statefmt.operations_files import EditOptions, operations_text
from statefmt.text import pattern

if TYPE_CHECKING:
    from statefmt.providers import ProviderReferences

# A key in an address may have an equals sign.
_PAIR: Final = pattern(r'((?:[^="]|"(?:[^"\\]|\\.)*")+)=(.+)')


@examples(
    ("Show where each object belongs in the new configuration.", "statetool adopt --config ."),
    ("Write the operations to a file, for review.", "statetool adopt --config . -o adopt.stateops.hcl"),
    (
        "Compare with the configuration before the change, in git.",
        "statetool adopt --config . --from-config git:HEAD~1",
    ),
    ("Show the way back, for Terraform or OpenTofu 1.8.", "statetool adopt --back --config ."),
)
@declared(paged=True, decrypts=True, connects=True)
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
            rich_help_panel=CONFIGURATION,
        ),
    ] = None,
    pair: Annotated[
        list[str] | None, Option("--pair", metavar="OLD=NEW", help="Decide a choice; can be repeated.")
    ] = None,
    back: Annotated[
        bool,
        Option(
            "--back",
            help="Go back from provider for_each to aliases and copies of blocks, which are printed; with "
            "--from-config, to that configuration.",
        ),
    ] = False,
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
    """Find where objects belong in a new configuration, as after a change to for_each.

    Compares the arguments of old provider blocks with those of new instances, the attributes of objects with their new
    arguments, then names. A pair is certain if no other fits as well; all others are choices, which are listed and
    never taken. Without --yes and --out, nothing is written.

    Exit status 0: everything is decided; 1: choices or refused pairs remain, or a part of the configuration could not
    be read.
    """
    if configuration.directory is None:
        raise UsageError("Missing option '--config': the directory of the new configuration.")
    if yes and out is not None:
        raise BadParameter("cannot be combined with --yes: apply the file instead", param_hint="--out")
    name = one_state(state, state_option)
    if name == STANDARD_INPUT and (yes or out is not None):
        reason = "cannot be combined with a state on standard input: save it to a file and name that"
        raise BadParameter(reason, param_hint="--yes" if yes else "--out")
    if output_format is OutputFormat.JSON and (yes or out == STANDARD_INPUT):
        raise BadParameter("cannot be combined with --yes and --out -", param_hint="--format")
    timeout = seconds(lock_timeout, "--lock-timeout")
    given = _given(pair or ())
    opened = opened_state(name)
    workspace = workspace_of(run_context(), name)
    new = known_configuration(configuration, configuration.loaded(workspace=workspace), workspace)
    with _configurations(configuration, new, from_config, back=back) as compared:
        if compared.old is not None and compared.made is None:
            report_configuration(compared.old, compared.name)
        is_broken = report_configuration(compared.new, compared.new_name)

        def found_in(snapshot: Snapshot) -> Adoption:
            if compared.made is not None:
                found = adopt_copies(snapshot, compared.new, new, compared.made, given)
            else:
                found = adopt(snapshot, compared.new, compared.old, given)
            return without_conflicts(snapshot, found)

        run_context().phase("comparing")
        found = found_in(opened.snapshot)
        root = compared.new.configuration.root.declarations
        if is_broken and not found.pairs and (root.incomplete or not root.files):
            raise SurgeryError("the new configuration could not be read, so nothing was compared; correct it first")
        if not yes:
            _show(found, opened.snapshot, compared, output_format, to_messages=out == STANDARD_INPUT)
        if (found.pairs or found.choices) and not found.is_compared:
            reason = (
                f": {compared.name} has none of these objects with the provider that they have in the state"
                if compared.old is not None
                else ""
            )
            say(f"statetool: no old configuration was compared{reason}; name one with --from-config")
        operations = _operations_text(name, out, opened.snapshot, found) if out is not None and found.pairs else ""
        if out is not None and operations:
            save_operations(out, operations)
        elif out is not None:
            reason = "nothing is certain" if not found.pairs else "all objects stay as they are"
            say(f"statetool: {reason}; no file was written")
        if yes and found.pairs:

            def operation(snapshot: Snapshot) -> Edit:
                if found_in(snapshot).pairs != found.pairs:
                    raise SurgeryError("the state has changed since it was read; run adopt again")
                return adopted(snapshot, adoption_operations(snapshot, found))

            write = EditOptions(
                command=command_line(), yes=True, keep_backup=not no_backup, lock=lock, lock_timeout=timeout
            )
            options = SurgeryOptions(name, write, show_sensitive, configuration)
            carry_out("adopt", operation, options, references=compared.new)
            print()
        if yes:
            _show(found, opened.snapshot, compared, output_format, to_messages=False)
    return FINE if found.is_decided and not is_broken else FOUND


class _Compared(NamedTuple):
    """The configuration that objects go to, the one that they come from if known, and a way back.

    `name` is that of the old one, and `new_name` that of the new one if it is not that of --config.
    """

    new: ProviderReferences
    old: ProviderReferences | None
    name: str = ""
    new_name: str = ""
    made: Unrolled | None = None


@contextmanager
def _configurations(
    configuration: ConfigurationOptions, named: ProviderReferences, other: str | None, *, back: bool
) -> Iterator[_Compared]:
    """Yield the configurations to compare. Raises SurgeryError if there is no way back."""
    if back and other is None:
        from statefmt.adoption import unrolled

        made = unrolled(named)
        if made.obstacles:
            listed = "\n  ".join(made.obstacles)
            raise SurgeryError(f"the configuration cannot be rewritten without for_each:\n  {listed}")
        workspace = named.configuration.workspace
        new = known_configuration(
            configuration, configuration.loaded(contents=made.files, workspace=workspace), workspace, made
        )
        yield _Compared(new, named, made=made)
        return
    name = other or f"{GIT}HEAD"
    with old_configuration(configuration, named, name, is_needed=other is not None) as old:
        if not back:
            yield _Compared(named, old, name)
        elif old is None:
            raise SurgeryError(f"{name}: there is no way back to a configuration that is not known")
        else:
            yield _Compared(old, named, configuration.directory or "", name)


def _given(pairs: Sequence[str]) -> dict[AbsResourceInstance, AbsResourceInstance]:
    found: dict[AbsResourceInstance, AbsResourceInstance] = {}
    for one, other in map(_pair, pairs):
        if one in found or other in found.values():
            raise BadParameter(f"{one if one in found else other} is given twice", param_hint="--pair")
        found[one] = other
    return found


def _pair(text: str) -> tuple[AbsResourceInstance, AbsResourceInstance]:
    found = _PAIR.fullmatch(text)
    if found is None:
        raise BadParameter("write OLD=NEW, with addresses of instances", param_hint="--pair")
    try:
        return parse_abs_resource_instance(found[1]), parse_abs_resource_instance(found[2])
    except AddressError as error:
        raise BadParameter(str(error), param_hint="--pair") from error


def _show(
    found: Adoption, snapshot: Snapshot, compared: _Compared, output_format: OutputFormat, *, to_messages: bool
) -> None:
    from statefmt.render.adoption import adoption_blocks, adoption_json, adoption_text, unrolled_text

    if compared.made is not None:
        blocks = unrolled_text(compared.made)
    else:
        blocks = adoption_blocks(found, adoption_moves(snapshot, found), compared.new)
    if output_format is OutputFormat.JSON:
        write_result(adoption_json(found, blocks))
        return
    text = adoption_text(found, result_terminal()) + (f"\n\n{blocks.rstrip()}" if blocks else "")
    print(text, file=sys.stderr if to_messages else sys.stdout)


def _operations_text(state: str | None, out: str, snapshot: Snapshot, found: Adoption) -> str:
    """Return the text of the operations file; "" if nothing has to be done."""
    short = short_names([state])[state]
    operations = adoption_operations(snapshot, found, short)
    return operations_text({short: source_block(state, place_in(out))}, operations) if operations else ""
