"""The options that end a change of several states after a crash."""

from __future__ import annotations

from typing import Annotated, Final

from typer import BadParameter, Option

from statefmt.cli.options.shared import CRASH
from statefmt.operations_files import Ending

ENDINGS: Final = ("--resume", "--abort", "--leave")


def ending_options(
    *,
    resume: Annotated[
        bool, Option("--resume", help="Finish a change that was interrupted.", rich_help_panel=CRASH)
    ] = False,
    abort: Annotated[
        bool, Option("--abort", help="Take back a change that was interrupted.", rich_help_panel=CRASH)
    ] = False,
    leave: Annotated[
        bool,
        Option(
            "--leave",
            help="Leave the states of an interrupted change as they are, and unlock them.",
            rich_help_panel=CRASH,
        ),
    ] = False,
) -> Ending | None:
    """Return the requested ending. Raises BadParameter for more than one."""
    wanted = dict(zip(ENDINGS, (resume, abort, leave), strict=True))
    given = [option for option, is_given in wanted.items() if is_given]
    if len(given) > 1:
        raise BadParameter(f"cannot be combined with {given[0]}", param_hint=given[1])
    endings = {"--resume": Ending.FINISH, "--abort": Ending.TAKE_BACK, "--leave": Ending.LEAVE}
    return endings[given[0]] if given else None
