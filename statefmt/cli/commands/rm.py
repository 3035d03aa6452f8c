"""`statetool rm` and `forget-deposed`: forget instances and deposed objects without destroying the real objects."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from typer import Option

from statefmt.cli.command import declared, examples, takes
from statefmt.cli.options.selecting import criteria, tell
from statefmt.cli.surgery import AsBlocksOption, SurgeryOptions, carry_out, surgery_options
from statefmt.operations import forget_deposed, remove
from statefmt.selection import Criteria


@examples(
    ("Forget a resource, but keep the real objects.", "statetool rm aws_instance.web"),
    ("Forget everything of one provider instance.", "statetool rm --provider 'aws.by_region[\"eu-west-1\"]'"),
    ("See what a pattern would forget.", "statetool rm --dry-run 'module.old.**'"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(chosen=criteria, options=surgery_options)
def rm_command(
    deposed: Annotated[
        str | None, Option(metavar="KEY", help="Forget only the deposed object with this key, and keep the instance.")
    ] = None,
    keep_dangling: Annotated[bool, Option("--keep-dangling", help="Keep dependencies on forgotten resources.")] = False,
    as_blocks: AsBlocksOption = False,
    *,
    chosen: Criteria,
    options: SurgeryOptions,
) -> int:
    """Forget instances. The real objects continue to exist, and nothing manages them any more.

    Dependencies on a resource are dropped if all of it is gone. A resource without instances is forgotten by its
    address.
    """
    operation = (
        partial(remove, chosen=chosen, keep_dangling=keep_dangling, note=tell)
        if deposed is None
        else partial(forget_deposed, chosen=chosen, key=deposed, note=tell)
    )
    return carry_out("rm", operation, options, asks=True, as_blocks=as_blocks)


@examples(
    ("Forget the deposed objects of an instance.", "statetool forget-deposed aws_instance.web"),
    ("Forget only one of them.", "statetool forget-deposed aws_instance.web --key 9c1ff8d2"),
    ("See all deposed objects that would be forgotten.", "statetool forget-deposed --dry-run --deposed"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(chosen=criteria, options=surgery_options)
def forget_deposed_command(
    key: Annotated[
        str | None,
        Option("--key", metavar="KEY", help="Only the deposed object with this key, as list --long shows it."),
    ] = None,
    *,
    chosen: Criteria,
    options: SurgeryOptions,
) -> int:
    """Forget deposed objects, which a replacement left behind without destroying them.

    The real objects continue to exist, and nothing will destroy them any more.
    """
    operation = partial(forget_deposed, chosen=chosen, key=key, note=tell)
    return carry_out("forget-deposed", operation, options, asks=True)
