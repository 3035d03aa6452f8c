"""`statetool grep`: searches attributes and outputs for text."""

from __future__ import annotations

import sys
from typing import Annotated, Final

from typer import Argument, BadParameter, Option

from statefmt import StatetoolError, StoreError
from statefmt.cli.command import declared, examples
from statefmt.cli.named_state import found_states, opened_state, state_name
from statefmt.cli.options.shared import FormatOption, OutputFormat, ShowSensitiveOption, StateOption, StatesArgument
from statefmt.cli.outcome import FAILED, FINE, show_failure
from statefmt.cli.streams import listed_name, result_columns, result_terminal, say
from statefmt.locations import RemoteName, display_name
from statefmt.render.search import SearchedState, address_text, match_text, search_json
from statefmt.render.terminal import counted
from statefmt.search import Matcher, NotSearched, TooDeepError, not_searched, search

# Like grep; for other commands, 1 means findings.
_NO_MATCH: Final = 1


@examples(
    ("Find what has an address or an id in its attributes.", "statetool grep 10.0.3.7"),
    ("Search all states below a directory.", "statetool grep sg-0a1b2c3d4e5f envs/"),
    ("List the instances with an attribute that matches a regular expression.", "statetool grep -l -E '^ami-0[ab]'"),
)
@declared(paged=True, decrypts=True, connects=True)
def grep_command(
    text: Annotated[str, Argument(metavar="TEXT", help="The string to search for.")],
    states: StatesArgument = None,
    state: StateOption = None,
    ignore_case: Annotated[bool, Option("--ignore-case", "-i", help="Ignore case.")] = False,
    regex: Annotated[
        bool,
        Option("--regex/--fixed", "-E/-F", help="TEXT is a regular expression (RE2), or a fixed string (the default)."),
    ] = False,
    addresses: Annotated[bool, Option("--addresses", "-l", help="Print only the addresses of what matches.")] = False,
    show_sensitive: ShowSensitiveOption = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Search the values of attributes and outputs for TEXT, in files and in all *.tfstate below directories.

    Prints `address: path = value` for each value that matches. JSON strings, such as policies, are searched inside.
    Sensitive values, and what rules SEC001 to SEC004 and OUT004 take for a secret, match only with --show-sensitive.

    Exit status 0: something matches; 1: nothing; 2: a state could not be searched.
    """
    as_json = output_format is OutputFormat.JSON
    if addresses and as_json:
        raise BadParameter("cannot be combined with --format json", param_hint="--addresses")
    matcher = _matcher(text, regex=regex, ignore_case=ignore_case)
    given = [*(states or ()), *([state] if state else ())] or [state_name(None, to_read=True)]
    names, unreadable = found_states(given)
    searched: list[SearchedState] = []
    found = False
    terminal, columns = result_terminal(), result_columns()
    is_one = len(given) == len(names) == 1 and (names == given or isinstance(names[0], RemoteName))
    for name in names:
        shown = "" if is_one else listed_name(display_name(name))
        try:
            snapshot = opened_state(name).snapshot
            one = SearchedState(display_name(name), [], None if show_sensitive else not_searched(snapshot))
            searched.append(one)
            line = ""
            for match in search(snapshot, matcher, show_sensitive=show_sensitive):
                found = True
                if as_json:
                    one.matches.append(match)
                    continue
                previous = line
                line = address_text(match, shown) if addresses else match_text(match, terminal, shown, columns)
                if line != previous:
                    print(line)
        except (StatetoolError, TooDeepError) as error:
            problem = StoreError(f"{display_name(name)}: {error}") if isinstance(error, TooDeepError) else error
            show_failure(problem, name)
            unreadable.append((display_name(name), problem.on_command_line))
    if as_json:
        sys.stdout.buffer.write(search_json(searched, unreadable))
    _note_left_out([one.left_out for one in searched if one.left_out is not None])
    if unreadable:
        return FAILED
    return FINE if found else _NO_MATCH


def _matcher(text: str, *, regex: bool, ignore_case: bool) -> Matcher:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadParameter("not valid UTF-8", param_hint="TEXT") from error
    try:
        return Matcher(text, regex=regex, ignore_case=ignore_case)
    except ModuleNotFoundError as error:
        from statefmt.installation import how_to_install

        raise StoreError(
            f"{'-E' if regex else '-i'} needs the package google-re2: {how_to_install('regex')}"
        ) from error
    except ValueError as error:
        raise BadParameter(f"not a valid regular expression: {error}", param_hint="TEXT") from error


def _note_left_out(left_out: list[NotSearched]) -> None:
    objects, outputs = sum(one.objects for one in left_out), sum(one.outputs for one in left_out)
    if objects or outputs:
        parts = [counted(objects, "object")] * bool(objects) + [counted(outputs, "output")] * bool(outputs)
        what = " and ".join(parts)
        say(f"statetool: sensitive values in {what} not searched; use --show-sensitive to search them")
