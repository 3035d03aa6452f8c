"""`statetool salvage`: takes what is whole from a state that is no longer JSON."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final, Optional

import typer

from statefmt import StoreError
from statefmt.cli.command_line import command_line
from statefmt.cli.exit_status import FAILED, FINE, FOUND
from statefmt.cli.options.shared import YesOption
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.edit.copies import FileCopy, OutputCopy
from statefmt.formats.salvage.fill import Backup, filled
from statefmt.formats.salvage.model import SalvagedDocument
from statefmt.formats.salvage.salvage import salvage, sides
from statefmt.formats.salvage.write import salvaged_envelope, salvaged_state
from statefmt.locations import STANDARD_INPUT, display_name
from statefmt.render.salvage.text import salvage_text

EXAMPLES: Final = (
    ("Show what is whole in a damaged state.", "statetool salvage terraform.tfstate"),
    (
        "Save it, and fill what is torn from a backup.",
        "statetool salvage terraform.tfstate --from terraform.tfstate.backup -o salvaged.tfstate",
    ),
)
_SIDES: Final = ("ours", "theirs")


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The damaged state; - for standard input.")],
    out: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--out", "--output", "-o", metavar="PATH", help="Write the result to PATH, never to FILE."),
    ] = None,
    backups: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--from", metavar="BACKUP", help="Fill what is torn from this backup; repeatable."),
    ] = None,
    include_uncertain: Annotated[
        bool, typer.Option("--include-uncertain", help="Take objects that may have been destroyed since, too.")
    ] = False,
    side: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="SIDE", help="With conflict markers: take the side ours or theirs."),
    ] = None,
    yes: YesOption = False,
) -> int:
    """Take what is whole from a state that is no longer JSON.

    Files that were cut short, torn in the middle or filled with zeros, in another encoding, or with other text around
    them. Takes whole objects only and changes none. Exit status: 0 if the file was whole, 1 if something was lost, 2 if
    nothing was found.
    """
    if side is not None and side not in _SIDES:
        raise typer.BadParameter("choose ours or theirs", param_hint="--side")
    if out is not None and _is_same(file, out):
        raise typer.BadParameter("is the damaged file, which is never overwritten", param_hint="--out")
    context = run_context()
    data = context.read(file)
    where = display_name(file)
    both = sides(data)
    if both is not None:
        if side is None:
            raise StoreError(
                f"{where}: this file has conflict markers: choose a side with --side ours or --side theirs"
            )
        data = both.ours if side == _SIDES[0] else both.theirs
    found = salvage(data)
    if not found.documents:
        raise StoreError(f"{where}: nothing of a state was found")
    document = _newest(where, found.documents)
    others = [Backup(f"{where} (another state in it)", one) for one in found.documents if one is not document]
    merged = filled(document, [*others, *map(_backup, backups or ())], include_uncertain=include_uncertain)
    report = salvage_text(found, document, merged)
    print(report, file=sys.stderr if out == STANDARD_INPUT else sys.stdout)
    if not merged.taken and not document.is_whole:
        return FAILED
    if out is not None:
        known = [*others, *map(_backup, backups or ())]
        content = salvaged_state(salvaged_envelope(document.envelope, known), merged.taken)
        copy = OutputCopy(context) if out == STANDARD_INPUT else FileCopy(context, out, command_line(), yes)
        copy.write(content, lambda _: None if out == STANDARD_INPUT else say(f"written to {out}"))
    return FINE if document.is_whole else FOUND


def _newest(where: str, documents: tuple[SalvagedDocument, ...]) -> SalvagedDocument:
    for one in documents:
        _refuse_unfit(where, one)
    if len({one.envelope.lineage for one in documents if one.envelope.lineage}) > 1:
        raise StoreError(f"{where}: the file has states of several lineages; split it first")
    return max(documents, key=lambda one: one.envelope.serial or 0)


def _backup(name: str) -> Backup:
    found = salvage(run_context().read(name)).documents
    where = display_name(name)
    if len(found) != 1 or not found[0].is_whole:
        raise StoreError(f"{where}: this backup is damaged itself, or no state")
    _refuse_unfit(where, found[0])
    return Backup(where, found[0])


def _refuse_unfit(where: str, document: SalvagedDocument) -> None:
    if document.envelope.is_encrypted:
        raise StoreError(f"{where}: this state is encrypted; decrypt it first with `statetool decrypt`")
    if document.envelope.version not in (None, 4):
        raise StoreError(f"{where}: this state has format version {document.envelope.version}; salvage takes version 4")


def _is_same(one: str, other: str) -> bool:
    paths = Path(one), Path(other)
    return STANDARD_INPUT not in (one, other) and all(path.exists() for path in paths) and paths[0].samefile(paths[1])
